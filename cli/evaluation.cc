#include "cli/evaluation.h"

#include <fmt/format.h>

#include "cli/batch_reader.h"
#include "fermata/error.h"
#include "fermata/stop_on_signal.h"

namespace fermata::cli {
namespace {

double one_number(const std::string& name, const Tensor& value) {
  if (value.size() != 1) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format("--evaluate {}: expected one number for each batch, found {} {}; name a tensor that is a "
                    "mean over the batch",
                    name, dtype_name(value.dtype()), shape_text(value.shape())));
  }
  return value.view().as_double();
}

}  // namespace

Evaluation::Evaluation(Options options) : values_(std::move(options.values)), data_(std::move(options.data)) {
  for (const NamedOutput& value : values_) {
    args_.fetch(value.tensor);
  }
  for (const Output& input : options.inputs) {
    slots_.push_back(args_.feed(input));
  }
  for (auto& [tensor, value] : options.feeds) {
    args_.feed(tensor, std::move(value));
  }
}

std::optional<EvaluationResult> Evaluation::run(Session& session) {
  std::vector<double> sums(values_.size(), 0.0);
  double rows = 0;
  const auto run_batch = [&](double weight) {
    const std::vector<Tensor> found = session.run(args_);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += weight * one_number(values_[i].name, found[i]);
    }
    rows += weight;
  };
  if (data_) {
    BatchReader batches(*data_);
    std::vector<Tensor> batch;
    while (batches.next(batch)) {
      const auto weight = static_cast<double>(batch.front().shape().front());
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        slots_[i].set(std::move(batch[i]));
      }
      run_batch(weight);
      if (StopOnSignal::received() != 0) {
        return std::nullopt;
      }
    }
  } else {
    run_batch(1);
  }
  EvaluationResult result;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    result.emplace_back(values_[i].name, sums[i] / rows);
  }
  return result;
}

}  // namespace fermata::cli
