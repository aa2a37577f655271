#include "fermata/hooks/nan_tensor_hook.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "fermata/error.h"
#include "fermata/log.h"
#include "hooks/hook_checks.h"
#include "hooks/nan.h"

namespace fermata {

NanTensorHook::NanTensorHook(Options options) : options_(std::move(options)) {
  if (options_.loss_tensors.empty()) {
    throw Error(Code::kInvalidArgument,
                "NanTensorHook: loss_tensors is empty; give at least one tensor to watch");
  }
}

void NanTensorHook::begin(Graph& graph) {
  std::vector<Fetch> fetches;
  for (const Fetch& tensor : options_.loss_tensors) {
    fetches.emplace_back(hooks::tensor_of(graph, tensor, name()));
  }
  args_ = SessionRunArgs(std::move(fetches));
}

std::vector<const SessionRunArgs*> NanTensorHook::announced() const { return {&args_}; }

const SessionRunArgs* NanTensorHook::before_run(SessionRunContext& /*context*/) { return &args_; }

void NanTensorHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  const ResultsView& results = values.results();
  for (std::size_t place = 0; place < results.size(); ++place) {
    if (hooks::loss_has_nan(results[place])) [[unlikely]] {
      report(place, context, values.step());
      return;
    }
  }
}

void NanTensorHook::report(std::size_t place, SessionRunContext& context, std::optional<Step> step) {
  const std::string found = fmt::format("'{}' is NaN{}", args_.fetches()[place].name(),
                                        step ? fmt::format(" at step {}", *step) : std::string());
  const std::string sentence = fmt::format(
      "{}: {}; look for a learning rate that is too high, a division by zero or a logarithm of it", name(),
      found);
  if (options_.fail_on_nan_loss) {
    log(LogLevel::kError, sentence);
    throw NanLossError(sentence);
  }
  log(LogLevel::kWarning, sentence);
  context.request_stop(found);
}

}  // namespace fermata
