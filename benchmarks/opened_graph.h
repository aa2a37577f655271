// A graph of TensorFlow, and a value for each of its placeholders.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fermata/fermata.h"
#include "fermata/tensorflow.h"

namespace benchmarks {

inline std::string project_file(const std::string& name) {
  return std::string(FERMATA_BENCHMARK_PROJECT) + "/" + name;
}

// What a size that the graph leaves open is taken to be.
inline constexpr std::int64_t kBatch = 64;

// Zeros; the same values in each step.
inline fermata::Tensor zeros(const fermata::TensorSpec& spec) {
  fermata::Shape shape = spec.shape.value_or(fermata::Shape{});
  for (std::int64_t& size : shape) {
    size = size < 0 ? kBatch : size;
  }
  const auto bytes = static_cast<std::size_t>(fermata::num_elements(shape)) * fermata::dtype_size(spec.dtype);
  return fermata::Tensor::from_bytes(spec.dtype, shape, std::vector<char>(bytes).data(), bytes);
}

using Feeds = std::vector<std::pair<std::string, fermata::Tensor>>;

inline Feeds feeds_of(const fermata::tensorflow::Model& model) {
  Feeds feeds;
  for (const fermata::Output& placeholder : model.placeholders()) {
    feeds.emplace_back(placeholder.name(), zeros(model.spec(placeholder)));
  }
  return feeds;
}

inline fermata::MonitoredSession::Options options_for(fermata::Graph& graph, fermata::Executor executor) {
  fermata::ChiefSessionCreator::Options chief;
  chief.config.executor = executor;
  fermata::MonitoredSession::Options options;
  options.session_creator = std::make_shared<fermata::ChiefSessionCreator>(graph, std::move(chief));
  return options;
}

}  // namespace benchmarks
