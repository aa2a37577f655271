// The engines that scenarios run on.
#pragma once

#include <memory>
#include <string>

#include "conformance/json.h"
#include "conformance/watched_graph.h"

namespace fermata::conformance {

// Makes the graphs of scenarios on one engine.
class Engine {
 public:
  virtual ~Engine() = default;
  // "native", "tensorflow".
  [[nodiscard]] virtual std::string name() const = 0;
  // The counter graph with the options that `spec` has. Throws: NotExpressible.
  [[nodiscard]] virtual EngineGraph counter(const Json& spec) const = 0;
};

// Graphs built with fermata/native.h.
[[nodiscard]] std::unique_ptr<Engine> make_native_engine();
// Graphs read from `<folder>/graphs`, where folder is that of the scenarios.
[[nodiscard]] std::unique_ptr<Engine> make_tensorflow_engine(const std::string& folder);

}  // namespace fermata::conformance
