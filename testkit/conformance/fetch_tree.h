// Nested fetches of a scenario as a flat request, and the results nested again.
#pragma once

#include <string>
#include <vector>

#include "conformance/json.h"
#include "conformance/watched_graph.h"
#include "fermata/session_run_hook.h"

namespace fermata::conformance {

class FetchTree {
 public:
  // Null: no fetches. Throws: Error kNotFound for a name the graph does not have.
  FetchTree(const WatchedGraph& graph, const Json& spec);

  [[nodiscard]] const std::vector<Fetch>& fetches() const noexcept { return fetches_; }
  [[nodiscard]] Json values(const ResultsView& results) const;
  [[nodiscard]] Json values(const std::vector<Tensor>& results) const;

 private:
  void add(const WatchedGraph& graph, const Json& spec);
  [[nodiscard]] static Json nest(const Json& spec, const std::vector<Json>& flat, std::size_t& next);

  Json spec_;
  std::vector<Fetch> fetches_;
};

// A request as scenarios write it: fetches, feeds, options.
[[nodiscard]] SessionRunArgs request_of(const WatchedGraph& graph, const FetchTree& fetches,
                                        const Json& feeds, const Json& options);

}  // namespace fermata::conformance
