#include "engines/native/summaries.h"

#include <fmt/format.h>

#include <protozero/pbf_writer.hpp>
#include <utility>

#include "engines/native/graph_impl.h"
#include "engines/native/text.h"
#include "fermata/error.h"

namespace fermata::native {
namespace {

// Field numbers of tensorflow/core/framework/summary.proto.
constexpr int kSummaryValue = 1;
constexpr int kValueTag = 1;
constexpr int kValueSimpleValue = 2;

double real_scalar(const std::string& tag, const TensorView& value) {
  if (value.size() != 1 || value.dtype() == DType::kString) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format("the summary '{}' takes a real scalar, but it was given {}", tag, value_text(value)),
        ErrorSource::kEngine);
  }
  return value.as_double();
}

}  // namespace

Callable scalar_summary_body(std::string tag) {
  return [tag = std::move(tag)](StepOutputs& out) {
    const Inputs in = out.inputs();
    std::string serialized;
    protozero::pbf_writer summary(serialized);
    {
      protozero::pbf_writer value(summary, kSummaryValue);
      value.add_string(kValueTag, tag);
      value.add_float(kValueSimpleValue, static_cast<float>(real_scalar(tag, in[0])));
    }
    StepOutputsAccess::put_text(out, serialized);
  };
}

Callable merged_summary_body() {
  return [](StepOutputs& out) {
    const Inputs in = out.inputs();
    std::string merged;  // messages written one after another are one message with the fields of all
    for (std::size_t i = 0; i < in.size(); ++i) {
      merged += in[i].string();
    }
    StepOutputsAccess::put_text(out, merged);
  };
}

}  // namespace fermata::native
