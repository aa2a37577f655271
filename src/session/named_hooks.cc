#include "session/named_hooks.h"

#include <fmt/format.h>

#include <utility>

#include "fermata/error.h"
#include "fermata/saver.h"

namespace fermata {

std::vector<NamedHook> name_hooks(const std::vector<HookPtr>& hooks) {
  std::map<std::string, int> seen;
  std::vector<NamedHook> named;
  for (const HookPtr& hook : hooks) {
    if (!hook) {
      throw Error(Code::kInvalidArgument, fmt::format("hook {} of the session is null", named.size()));
    }
    std::string name = hook->name();
    const int count = ++seen[name];
    named.push_back({hook, count == 1 ? std::move(name) : fmt::format("{}#{}", name, count)});
  }
  return named;
}

std::map<std::string, HookState, std::less<>> states_of(const std::vector<NamedHook>& hooks) {
  std::map<std::string, HookState, std::less<>> states;
  for (const NamedHook& hook : hooks) {
    HookState state;
    hook.hook->save_state(state);
    if (!state.values().empty()) {
      states.emplace(hook.name, std::move(state));
    }
  }
  return states;
}

void load_states(const std::vector<NamedHook>& hooks, const std::string& prefix) {
  const std::optional<CheckpointManifest> manifest = read_manifest(prefix);
  if (!manifest) {
    return;
  }
  for (const NamedHook& hook : hooks) {
    const auto found = manifest->state.hooks.find(hook.name);
    if (found != manifest->state.hooks.end()) {
      hook.hook->load_state(found->second);
    }
  }
}

}  // namespace fermata
