#include "cli/trainer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "cli/names.h"
#include "cli/system_error.h"
#include "cli/train_hooks.h"
#include "cli/unfed.h"
#include "cli/usage_error.h"
#include "fermata/monitored_session.h"
#include "fermata/tensorflow.h"

namespace fermata::cli {
namespace {

tensorflow::OpenOptions open_options(const TrainOptions& options) {
  tensorflow::OpenOptions open;
  open.library_dir = options.tensorflow_dir;
  open.tags = options.tags;
  open.train_signature = options.signature;
  open.train_op = options.train_op;
  open.global_step = options.global_step;
  open.count_steps = options.count_steps;
  open.verbose = options.verbose;
  return open;
}

class Trainer {
 public:
  Trainer(const TrainOptions& options, std::shared_ptr<Screen> screen, Report& report)
      : options_(options),
        screen_(std::move(screen)),
        report_(report),
        // Opened first: what is wrong with a file is found before TensorFlow is loaded.
        files_(options),
        model_(tensorflow::open(options.model, open_options(options))) {
    report_.tensorflow_version = model_.runtime_version();
  }

  void run() {
    check_folder();
    check_model();
    TrainHooks hooks(options_, files_, model_, screen_);
    try {
      run_session(hooks);
    } catch (...) {
      std::rethrow_exception(
          explain_unfed(model_, options_.signature, hooks.fed(), std::current_exception()));
    }
  }

 private:
  // Otherwise it would be found when the first event is written, in the middle of things.
  void check_folder() const {
    const std::string& folder = options_.checkpoint_dir;
    std::error_code ignored;
    if (std::filesystem::is_directory(folder, ignored) && ::access(folder.c_str(), W_OK | X_OK) != 0) {
      throw system_error(fmt::format("{}: checkpoints cannot be saved in this folder", folder), errno);
    }
  }

  void check_model() const {
    for (const std::string& warning : model_.warnings()) {
      screen_->message(LogLevel::kWarning, warning);
    }
    static_cast<void>(model_.train_op());  // Says what to give where there is none.
    if (!model_.has_global_step()) {
      throw UsageError(
          fmt::format("{} counts no steps; name the variable that does with --global-step NAME, or give "
                      "--count-steps",
                      options_.model));
    }
    const bool ends = options_.last_step || options_.num_steps || options_.time_limit || options_.epochs ||
                      model_.has_own_input();
    if (!ends) {
      throw UsageError("nothing would end this run; give --last-step, --num-steps, --epochs or --time-limit");
    }
  }

  void run_session(TrainHooks& hooks) {
    SessionRunArgs step({model_.train_op()});
    for (const auto& [tensor, value] : hooks.feeds()) {
      step.feed(tensor, value);
    }
    MonitoredSession session(model_, session_options(hooks, step));
    report_.start_step = session.start_step();
    report_.restored_from = session.restored_from();
    try {
      hooks.start(session.start_step().value_or(0));
      tell_start(hooks, session);
      report_.verdict = session.run_until_stopped([&] { session.run(step); });
    } catch (...) {
      session.abort(std::current_exception());
      fill_report(hooks, session);
      throw;
    }
    fill_report(hooks, session);
    tell_end(hooks);
  }

  [[nodiscard]] MonitoredSession::Options session_options(const TrainHooks& hooks,
                                                          const SessionRunArgs& step) {
    ChiefSessionCreator::Options chief;
    chief.scaffold = hooks.scaffold();
    chief.config.executor = options_.executor;
    chief.config.intra_op_threads = options_.intra_op_threads;
    chief.config.inter_op_threads = options_.inter_op_threads;
    chief.checkpoint_dir = options_.checkpoint_dir;
    chief.warm_start_from = options_.restore_from;
    MonitoredSession::Options session;
    session.session_creator = std::make_shared<ChiefSessionCreator>(model_, std::move(chief));
    session.hooks = hooks.all();
    session.announce = {&step};
    session.stop_on_signals = true;
    return session;
  }

  void tell_start(const TrainHooks& hooks, const MonitoredSession& session) const {
    const Step from = session.start_step().value_or(0);
    if (options_.checkpoint_dir.empty()) {
      screen_->line("nothing is saved, since there is no --checkpoint-dir");
    }
    if (!hooks.goal()) {
      screen_->line(fmt::format("training {} from step {}", options_.model, from));
    } else if (*hooks.goal() > from) {
      screen_->line(fmt::format("training {} from step {} to step {}", options_.model, from, *hooks.goal()));
    }
  }

  void tell_end(const TrainHooks& hooks) const {
    if (report_.verdict.reason == StopReason::kAlreadyAtTarget) {
      screen_->line(fmt::format("already at step {}: no step was run", report_.verdict.step.value_or(0)));
    } else {
      screen_->line(report_.verdict.to_string());
    }
    if (hooks.saver() != nullptr) {
      const auto& saved = hooks.saver()->saved();
      const std::filesystem::path newest = saved.empty() ? report_.restored_from : saved.back();
      screen_->line(fmt::format("checkpoints are in {}, the newest is {}", options_.checkpoint_dir,
                                newest.filename().string()));
      if (hooks.saver()->failed_saves() > 0) {
        screen_->message(LogLevel::kWarning, fmt::format("{} checkpoints could not be saved on the way",
                                                         hooks.saver()->failed_saves()));
      }
    }
  }

  void fill_report(const TrainHooks& hooks, const MonitoredSession& session) const {
    report_.verdict = session.verdict().value_or(report_.verdict);
    report_.steps_run = session.runs();
    report_.executor = hooks.record().executor();
    report_.seconds_to_first_step = hooks.record().seconds_to_first_step();
    if (hooks.saver() != nullptr) {
      report_.checkpoints = hooks.saver()->saved();
      report_.failed_saves = hooks.saver()->failed_saves();
    }
    for (const LogHook::LastValue& last : hooks.log().last_values()) {
      report_.values.emplace_back(last.name, last.value);
    }
    if (hooks.evaluation() != nullptr) {
      report_.evaluation = hooks.evaluation()->last_result();
    }
  }

  const TrainOptions& options_;
  std::shared_ptr<Screen> screen_;
  Report& report_;
  TrainFiles files_;
  tensorflow::Model model_;
};

}  // namespace

void train(const TrainOptions& options, const std::shared_ptr<Screen>& screen, Report& report) {
  Trainer(options, screen, report).run();
}

}  // namespace fermata::cli
