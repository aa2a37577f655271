// The hooks of a session under the names they have in it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fermata/hook_state.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// A hook and the name it has in this session.
struct NamedHook {
  HookPtr hook;
  std::string name;
};

// "StopAtStepHook", and "StopAtStepHook#2" for the second one of that name.
// Throws: Error kInvalidArgument for a null hook.
[[nodiscard]] std::vector<NamedHook> name_hooks(const std::vector<HookPtr>& hooks);

// The state of each hook that has one.
[[nodiscard]] std::map<std::string, HookState, std::less<>> states_of(const std::vector<NamedHook>& hooks);

// Gives each hook the state that was kept with the checkpoint `prefix` under its name.
void load_states(const std::vector<NamedHook>& hooks, const std::string& prefix);

}  // namespace fermata
