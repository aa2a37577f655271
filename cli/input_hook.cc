#include "cli/input_hook.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "fermata/error.h"
#include "fermata/log.h"

namespace fermata::cli {
namespace {

// The seed as text: a state's integers are signed.
std::string order_text(const Dataset::Options& options) {
  return options.shuffle_seed ? fmt::format("shuffled with seed {}", *options.shuffle_seed)
                              : std::string("in the order of the file");
}

}  // namespace

InputHook::InputHook(Dataset dataset, const std::vector<Output>& tensors) : batches_(std::move(dataset)) {
  for (const Output& tensor : tensors) {
    slots_.push_back(args_.feed(tensor));
  }
}

void InputHook::after_create_session(Session& session, Coordinator* /*coordinator*/) {
  const bool loaded = std::exchange(loaded_, false);
  if (loaded || session.restored_from().empty()) {
    return;
  }
  const Step step = session.read_step();
  batches_.seek_behind(step);
  log(LogLevel::kInfo,
      fmt::format("{} says nothing about the input: it goes on behind {} {}, one for each step",
                  session.restored_from(), step, step == 1 ? "batch" : "batches"));
}

const SessionRunArgs* InputHook::before_run(SessionRunContext& /*context*/) {
  if (!batches_.next(batch_)) {
    const std::int64_t epochs = *dataset().options().epochs;
    throw StopIteration(
        fmt::format("{} {} of {} rows", epochs, epochs == 1 ? "epoch" : "epochs", dataset().rows()));
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].set(std::move(batch_[i]));
  }
  return &args_;
}

void InputHook::save_state(HookState& state) const {
  state.set("rows", dataset().rows());
  state.set("order", order_text(dataset().options()));
  state.set("epoch", dataset().position().epoch);
  state.set("row", dataset().position().row);
}

void InputHook::load_state(const HookState& state) {
  loaded_ = true;
  const std::optional<std::int64_t> rows = state.integer("rows");
  const std::optional<std::string> order = state.text("order");
  if (rows != dataset().rows() || order != order_text(dataset().options())) {
    log(LogLevel::kWarning, fmt::format("the checkpoint was made with other input ({} rows {}, now {} rows "
                                        "{}): the input starts from its "
                                        "first row",
                                        rows.value_or(0), order.value_or("in an unknown order"),
                                        dataset().rows(), order_text(dataset().options())));
    return;
  }
  batches_.seek({state.integer("epoch").value_or(0), state.integer("row").value_or(0)});
}

}  // namespace fermata::cli
