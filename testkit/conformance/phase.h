// What the pieces of one phase of a scenario are made from.
#pragma once

#include <memory>

#include "conformance/watched_graph.h"
#include "conformance/world.h"
#include "fermata/hooks/final_ops_hook.h"
#include "fermata/saver.h"
#include "fermata/scaffold.h"

namespace fermata::conformance {

struct Phase {
  World& world;
  WatchedGraph& graph;
  // The session's, as far as the scenario gives one.
  std::shared_ptr<Scaffold> scaffold;
  // The last one that was made.
  std::shared_ptr<FinalOpsHook> final_ops;
  Json final_ops_spec;
};

// A saver with the arguments of the reference's: max_to_keep, sharded, only …
[[nodiscard]] std::shared_ptr<Saver> make_saver(World& world, Graph& graph, const Json& args);

// Null if there is none. `args` as `scaffold` of a session.
[[nodiscard]] std::shared_ptr<Scaffold> make_scaffold(Phase& phase, const Json& args);
[[nodiscard]] Scaffold::Options scaffold_options(Phase& phase, const Json& args);

// {"type", "args"}. Throws: what the hook's constructor throws.
[[nodiscard]] HookPtr make_hook_of(Phase& phase, const Json& spec);

}  // namespace fermata::conformance
