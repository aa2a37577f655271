// One run's request, made of the caller's and the hooks' requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/session.h"
#include "fermata/session_run_args.h"

namespace fermata {

class ResultsView;
class SessionRunHook;

// Somebody who takes part in a run. `args` is null if nothing is asked for.
struct Participant {
  const SessionRunArgs* args = nullptr;
  std::string_view name;
  // Null for the caller.
  SessionRunHook* hook = nullptr;
  // Identity of `args` when it was looked at last, 0 for none.
  std::uint64_t id = 0;
  // What it gets to see of a run with the plan in use.
  const ResultsView* results = nullptr;
};

// Where a feed of the plan gets its value: feed `feed` of participant `participant`.
struct FeedSource {
  std::size_t participant = 0;
  std::size_t feed = 0;
};

struct MergedRequest {
  PlanRequest plan;
  // For each participant, for each of its fetches: the index into plan.fetches, −1 for an operation.
  std::vector<std::vector<std::int32_t>> places;
  // For each feed of the plan.
  std::vector<FeedSource> feeds;
  // The options of all, merged (contract RUN-9).
  RunOptions options;
  bool has_options = false;
};

// Merges in the order of the participants; a fetch wanted by several is fetched once.
// Throws: Misuse that names both participants and the tensor if two feed the same one, by name or by handle;
// Error for names the graph does not have.
[[nodiscard]] MergedRequest merge(const Graph& graph, std::span<const Participant> participants);

// `into` with `other` merged in: the higher trace level, the longer timeout, `or` of the switches.
void merge_options(RunOptions& into, const RunOptions& other);

}  // namespace fermata
