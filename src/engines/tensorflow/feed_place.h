// What the graph accepts at one place that is fed.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/tensorflow/fed_value.h"
#include "tensorflow/c/c_api.h"

namespace fermata::tensorflow_plugin {

// TensorFlow's kernels trust types and ranks that the graph promised, and end the process where a fed value
// breaks the promise. So every value is held against it.
class FeedPlace {
 public:
  // Throws: Failure if nothing can be fed there.
  FeedPlace(TF_Graph* graph, const TF_Output& output);

  // Throws: Failure with what is accepted and what was given.
  void require_accepts(const FedValue& value) const {
    if (!accepts(value)) refuse(value);
  }

 private:
  [[nodiscard]] bool accepts(const FedValue& value) const noexcept;
  [[noreturn]] void refuse(const FedValue& value) const;

  TF_Output output_;
  int dtype_;
  bool any_rank_ = false;
  std::vector<int64_t> shape_;  // −1 for sizes that are free
};

}  // namespace fermata::tensorflow_plugin
