#include "fermata/hooks/logging_tensor_hook.h"

#include <fmt/format.h>

#include <cstddef>

#include "fermata/error.h"
#include "fermata/log.h"
#include "hooks/hook_checks.h"

namespace fermata {
namespace {

// Seconds may be fractions, but an interval of no length would be a wish to log all the time in disguise.
void require_positive(const char* name, bool positive, double value) {
  if (!positive) {
    throw Error(Code::kInvalidArgument,
                fmt::format("LoggingTensorHook: {} must be more than 0, but is {}", name, value));
  }
}

std::optional<SecondOrStepTimer> timer_of(const LoggingTensorHook::Options& options) {
  if (options.every_n_iter) {
    require_positive("every_n_iter", *options.every_n_iter > 0, static_cast<double>(*options.every_n_iter));
  }
  if (options.every_n_secs) {
    require_positive("every_n_secs", *options.every_n_secs > 0, *options.every_n_secs);
  }
  if (options.at_end && !options.every_n_iter && !options.every_n_secs) {
    return std::nullopt;
  }
  if (!options.at_end && !options.every_n_iter && !options.every_n_secs) {
    throw Error(Code::kInvalidArgument,
                "LoggingTensorHook: exactly one of every_n_iter and every_n_secs must be given, but neither "
                "was; to log only at the end set at_end");
  }
  return hooks::make_timer("LoggingTensorHook", {"every_n_iter", options.every_n_iter},
                           {"every_n_secs", options.every_n_secs}, options.clock);
}

}  // namespace

LoggingTensorHook::LoggingTensorHook(Options options)
    : options_(std::move(options)), timer_(timer_of(options_)) {}

LoggingTensorHook::~LoggingTensorHook() = default;

void LoggingTensorHook::begin(Graph& graph) {
  iteration_ = 0;
  not_due_before_ = 0;
  if (timer_) {
    timer_->reset();
  }
  std::vector<Fetch> fetches;
  tags_.clear();
  for (const Tagged& tagged : options_.tensors) {
    const Output tensor = hooks::tensor_of(graph, tagged.tensor, name());
    tags_.push_back(!tagged.tag.empty() ? tagged.tag : tagged.tensor.name());
    fetches.emplace_back(tensor);
  }
  args_ = SessionRunArgs(std::move(fetches));
}

std::vector<const SessionRunArgs*> LoggingTensorHook::announced() const {
  return timer_ ? std::vector<const SessionRunArgs*>{&args_} : std::vector<const SessionRunArgs*>{};
}

const SessionRunArgs* LoggingTensorHook::before_run(SessionRunContext& context) {
  due_ = iteration_ >= not_due_before_ && timer_ && timer_->should_trigger_for_step(iteration_, context);
  return due_ ? &args_ : nullptr;
}

void LoggingTensorHook::after_run(SessionRunContext& /*context*/, const SessionRunValues& values) {
  if (due_) [[unlikely]] {
    write(values.results());
  }
  ++iteration_;
}

void LoggingTensorHook::write(const ResultsView& results) {
  std::vector<std::pair<std::string, TensorView>> tagged;
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    tagged.emplace_back(tags_[i], results[i]);
  }
  write(tagged);
}

void LoggingTensorHook::end(Session& session) {
  if (!options_.at_end) {
    return;
  }
  const std::vector<Tensor> results = session.run(args_);
  std::vector<std::pair<std::string, TensorView>> tagged;
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    tagged.emplace_back(tags_[i], results[i].view());
  }
  write(tagged);
}

namespace {

// As Python writes it: a whole real number is "1.0", so that it shows which kind of number it is.
std::string logged_text(const TensorView& value) {
  std::string text = to_text(value);
  const DType dtype = value.dtype();
  const bool is_real =
      dtype == DType::kFloat || dtype == DType::kDouble || dtype == DType::kHalf || dtype == DType::kBFloat16;
  if (is_real && value.shape().empty() && text.find_first_not_of("-0123456789") == std::string::npos) {
    text += ".0";
  }
  return text;
}

}  // namespace

void LoggingTensorHook::write(const std::vector<std::pair<std::string, TensorView>>& values) {
  std::optional<double> seconds;
  if (timer_) {
    seconds = timer_->update_last_triggered_step(iteration_).seconds;
    not_due_before_ = timer_->not_due_before();
  }
  if (options_.formatter) {
    log(LogLevel::kInfo, options_.formatter(values));
    return;
  }
  std::string line;
  for (const auto& [tag, value] : values) {
    line += fmt::format("{}{} = {}", line.empty() ? "" : ", ", tag, logged_text(value));
  }
  if (seconds) {
    line += fmt::format(" ({:.3f} sec)", *seconds);
  }
  log(LogLevel::kInfo, line);
}

}  // namespace fermata
