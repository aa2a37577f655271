#include "engines/tensorflow/feed_place.h"

#include <algorithm>
#include <string>

#include "engines/tensorflow/dtype_names.h"
#include "engines/tensorflow/graph.h"
#include "engines/tensorflow/handles.h"
#include "engines/tensorflow/status.h"

namespace fermata::tensorflow_plugin {
namespace {

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t size : shape) {
    if (text.size() > 1) text += ',';
    text += size < 0 ? "?" : std::to_string(size);
  }
  return text + "]";
}

}  // namespace

FeedPlace::FeedPlace(TF_Graph* graph, const TF_Output& output)
    : output_(output), dtype_(without_reference(TF_OperationOutputType(output))) {
  if (!has_value(dtype_)) {
    throw Failure(TF_INVALID_ARGUMENT, "'" + output_name(output) + "' cannot be fed: it is of type " +
                                           dtype_name(dtype_) + ", which has no value outside of TensorFlow");
  }
  const StatusHandle result = new_status();
  const int rank = TF_GraphGetTensorNumDims(graph, output, result.get());
  check(result.get());
  any_rank_ = rank < 0;
  if (rank <= 0) return;
  shape_.resize(static_cast<size_t>(rank));
  TF_GraphGetTensorShape(graph, output, shape_.data(), rank, result.get());
  check(result.get());
}

bool FeedPlace::accepts(const FedValue& value) const noexcept {
  if (value.dtype != dtype_) return false;
  return any_rank_ || std::equal(shape_.begin(), shape_.end(), value.shape.begin(), value.shape.end(),
                                 [](int64_t wanted, int64_t given) { return wanted < 0 || wanted == given; });
}

void FeedPlace::refuse(const FedValue& value) const {
  const std::string start = "'" + output_name(output_) + "' takes ";
  if (value.dtype != dtype_) {
    throw Failure(TF_INVALID_ARGUMENT, start + "values of type " + dtype_name(dtype_) +
                                           " and was fed one of type " + dtype_name(value.dtype));
  }
  throw Failure(TF_INVALID_ARGUMENT, start + "values of shape " + shape_text(shape_) +
                                         " and was fed one of shape " + shape_text(value.shape));
}

}  // namespace fermata::tensorflow_plugin
