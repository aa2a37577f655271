// A prepared request as data: slots for the values and a flat list of what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engines/native/graph_impl.h"
#include "fermata/graph.h"
#include "fermata/session.h"

namespace fermata::native {

struct PlanLayout {
  static constexpr std::uint32_t kNoSlot = 0xFFFFFFFF;

  // One thing to do: read a variable into a slot, or call a node's body.
  struct Action {
    const Node* node = nullptr;
    bool is_read = false;
    // Of a read: where to.
    std::uint32_t slot = kNoSlot;
    // Of a call: where its outputs begin in `outputs`, its inputs in `inputs`.
    std::uint32_t outputs = 0;
    std::uint32_t inputs = 0;
    // What must be initialised when it begins.
    std::vector<Variable*> needs;
  };
  struct Feed {
    std::uint32_t slot = kNoSlot;
    TensorSpec spec;
    std::string name;
    bool fetched = false;
  };
  // A slot that refers to memory which is there before the run.
  struct Fixed {
    std::uint32_t slot = kNoSlot;
    TensorView value;
  };

  std::size_t num_slots = 0;
  std::vector<Action> actions;
  std::vector<std::uint32_t> inputs;   // slots
  std::vector<std::uint32_t> outputs;  // slots or kNoSlot
  std::vector<Feed> feeds;
  std::vector<Fixed> fixed;
  std::vector<std::uint32_t> fetches;  // slots
  // A placeholder that is needed and not fed.
  const Node* unfed = nullptr;
  // Where the step is read after the run, if it was asked for.
  std::optional<std::size_t> step;
};

// Throws: Error kInvalidArgument for what is not of this graph or fed twice; Misuse if the step is asked for
// and there is none.
[[nodiscard]] PlanLayout build_layout(const Graph& graph, const Graph::Impl& impl,
                                      const PlanRequest& request);

}  // namespace fermata::native
