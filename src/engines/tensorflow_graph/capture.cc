#include "engines/tensorflow_graph/capture.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace fermata::tensorflow {
namespace {

// Results belong to their plan, and go first.
struct Held {
  std::shared_ptr<EnginePlan> plan;
  std::unique_ptr<EngineOutputs> outputs;
};

Tensor kept(const std::shared_ptr<Held>& held, const TensorView& view, bool stays) {
  if (!stays || dtype_size(view.dtype()) == 0) {
    return view.copy();
  }
  return Tensor::adopt(view.dtype(), Shape(view.shape().begin(), view.shape().end()), view.data(), [held] {});
}

}  // namespace

Capture::Capture(const std::shared_ptr<SessionCore>& session, std::vector<SavedEntry> entries)
    : entries_(std::move(entries)) {
  EngineRequest request;
  std::map<NodeOutput, std::size_t> fetched;
  for (const SavedEntry& entry : entries_) {
    const auto [place, is_new] = fetched.emplace(entry.value, request.fetches.size());
    if (is_new) {
      request.fetches.push_back(entry.value);
    }
    places_.push_back(place->second);
  }
  if (!request.fetches.empty()) {
    plan_ = std::make_shared<EnginePlan>(session, request);
  }
}

VariableCapture Capture::run(std::uint64_t most_bytes) {
  if (plan_ == nullptr) {
    return {{}, "what the graph's saver writes cannot be told from the graph"};
  }
  const auto held = std::make_shared<Held>(Held{plan_, plan_->make_outputs()});
  plan_->run({}, *held->outputs);
  VariableCapture captured;
  std::uint64_t bytes = 0;
  for (const std::size_t place : places_) {
    bytes += held->outputs->view(place).byte_size();
  }
  if (bytes > most_bytes) {
    return {{}, fmt::format("the variables take {} bytes, a capture may take {} at most", bytes, most_bytes)};
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    captured.entries.push_back(
        {entries_[i].key, entries_[i].slice, kept(held, held->outputs->view(places_[i]), entries_[i].stays)});
  }
  return captured;
}

}  // namespace fermata::tensorflow
