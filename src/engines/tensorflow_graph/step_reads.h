// The ordered read: a read of the step's variable that waits for everything else a run does, so that the same
// run yields the step after its update.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "engines/tensorflow_graph/graph_index.h"
#include "engines/tensorflow_graph/step_source.h"

namespace fermata::tensorflow {

// Adds reads to the graph where nobody sees them; each is used again. Threads: any.
class StepReads {
 public:
  explicit StepReads(EngineGraph& graph) : graph_(graph) {}

  // A read that waits for all of these. Nothing if none of them can be waited for (see ControlFlow), or if
  // the step is no variable: then it must be read in a run of its own.
  [[nodiscard]] std::optional<NodeOutput> read_after(const StepSource& step, const std::vector<Node>& nodes);

  // A read that waits for nothing.
  [[nodiscard]] NodeOutput read(const StepSource& step);

 private:
  [[nodiscard]] std::vector<Node> awaitable(std::vector<Node> nodes);
  [[nodiscard]] NodeOutput add(const StepSource& step, const std::vector<Node>& after);

  EngineGraph& graph_;
  std::mutex mutex_;
  std::optional<ControlFlow> control_flow_;
  std::size_t indexed_nodes_ = 0;
  std::map<std::pair<NodeOutput, std::vector<Node>>, NodeOutput> reads_;
};

}  // namespace fermata::tensorflow
