#include "session/merged_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "fermata/error.h"

namespace fermata {
namespace {

std::int32_t index_of(std::vector<Output>& outputs, const Output& wanted) {
  const auto found = std::find(outputs.begin(), outputs.end(), wanted);
  if (found != outputs.end()) {
    return static_cast<std::int32_t>(found - outputs.begin());
  }
  outputs.push_back(wanted);
  return static_cast<std::int32_t>(outputs.size() - 1);
}

void add_fetches(MergedRequest& merged, const ResolvedArgs& resolved) {
  std::vector<std::int32_t> places;
  for (const std::int32_t place : resolved.places) {
    places.push_back(
        place < 0 ? -1
                  : index_of(merged.plan.fetches, resolved.request.fetches[static_cast<std::size_t>(place)]));
  }
  merged.places.push_back(std::move(places));
  for (const Operation& target : resolved.request.targets) {
    if (std::find(merged.plan.targets.begin(), merged.plan.targets.end(), target) ==
        merged.plan.targets.end()) {
      merged.plan.targets.push_back(target);
    }
  }
}

void add_feeds(MergedRequest& merged, std::span<const Participant> participants, std::size_t who,
               const ResolvedArgs& resolved) {
  for (std::size_t i = 0; i < resolved.request.feeds.size(); ++i) {
    const Output& tensor = resolved.request.feeds[i];
    const auto clash = std::find(merged.plan.feeds.begin(), merged.plan.feeds.end(), tensor);
    if (clash != merged.plan.feeds.end()) {
      const FeedSource& other = merged.feeds[static_cast<std::size_t>(clash - merged.plan.feeds.begin())];
      throw Misuse(fmt::format("Same tensor is fed by {} and by {}: '{}'; let one of them feed it",
                               participants[other.participant].name, participants[who].name, tensor.name()));
    }
    merged.plan.feeds.push_back(tensor);
    merged.feeds.push_back({who, i});
  }
}

}  // namespace

void merge_options(RunOptions& into, const RunOptions& other) {
  into.trace_level = std::max(into.trace_level, other.trace_level);
  into.timeout = std::max(into.timeout, other.timeout);
  if (other.inter_op_thread_pool) {
    into.inter_op_thread_pool = into.inter_op_thread_pool
                                    ? std::max(*into.inter_op_thread_pool, *other.inter_op_thread_pool)
                                    : other.inter_op_thread_pool;
  }
  into.output_partition_graphs |= other.output_partition_graphs;
  into.report_tensor_allocations_upon_oom |= other.report_tensor_allocations_upon_oom;
  into.reset_disk_byte_usage |= other.reset_disk_byte_usage;
  into.debug_tensor_watches.insert(into.debug_tensor_watches.end(), other.debug_tensor_watches.begin(),
                                   other.debug_tensor_watches.end());
  // Serialized messages of one type are merged by appending (the rule of protocol buffers).
  into.serialized += other.serialized;
}

MergedRequest merge(const Graph& graph, std::span<const Participant> participants) {
  MergedRequest merged;
  for (std::size_t who = 0; who < participants.size(); ++who) {
    const SessionRunArgs* args = participants[who].args;
    if (args == nullptr) {
      merged.places.emplace_back();
      continue;
    }
    const ResolvedArgs resolved = resolve(graph, *args);
    add_fetches(merged, resolved);
    add_feeds(merged, participants, who, resolved);
    if (args->options() != nullptr) {
      merge_options(merged.options, *args->options());
      merged.has_options = true;
    }
  }
  return merged;
}

}  // namespace fermata
