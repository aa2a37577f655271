// What was watched in one step.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/graph.h"
#include "fermata/step.h"
#include "fermata/tensor.h"

namespace fermata::cli {

// A tensor under the name that the user gave it.
struct NamedOutput {
  std::string name;
  Output tensor;
};

struct NamedView {
  std::string_view name;
  TensorView value;
};

// Valid during the call that hands it over.
struct StepValues {
  // The step after the run that gave the values.
  Step step = 0;
  std::span<const NamedView> values;
};

using ValueSink = std::function<void(const StepValues&)>;

}  // namespace fermata::cli
