#include "cli/train_hooks.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/names.h"
#include "cli/text.h"
#include "cli/usage_error.h"
#include "fermata/error.h"
#include "fermata/hooks/summary_saver_hook.h"
#include "fermata/hooks/time_limit_hook.h"

namespace fermata::cli {
namespace {

bool is_one_real_number(const TensorView& value) {
  switch (value.dtype()) {
    case DType::kString:
    case DType::kComplex64:
    case DType::kComplex128:
      return false;
    default:
      return value.size() == 1;
  }
}

void add_scalars(EventWriter& writer, const StepValues& values) {
  for (const NamedView& view : values.values) {
    if (is_one_real_number(view.value)) {
      writer.add_scalar(view.name, view.value.as_double(), values.step);
    }
  }
}

InputRequest input_request(const TrainOptions& options, const std::vector<NamedFile>& files) {
  InputRequest request;
  request.input_option = "--input";
  request.feed_option = "--feed";
  request.files = files;
  request.feeds = options.feeds;
  request.batch_size = options.batch_size;
  request.shuffle_seed = options.shuffle_seed;
  request.epochs = options.epochs;
  request.remainder = options.drop_remainder ? Remainder::kDrop : Remainder::kFeed;
  return request;
}

InputRequest evaluation_request(const TrainOptions& options, const std::vector<NamedFile>& files) {
  InputRequest request;
  request.input_option = "--evaluate-input";
  request.feed_option = "--evaluate-feed";
  request.files = files;
  request.feeds = options.evaluate_feeds;
  if (options.batch_size && !files.empty()) {
    request.batch_size = std::min(*options.batch_size, files.front().file.rows());
  }
  request.epochs = 1;
  request.remainder = options.drop_remainder ? Remainder::kDropWhereNeeded : Remainder::kFeed;
  return request;
}

}  // namespace

TrainHooks::TrainHooks(const TrainOptions& options, const TrainFiles& files, tensorflow::Model& model,
                       std::shared_ptr<Screen> screen)
    : options_(options),
      model_(model),
      screen_(std::move(screen)),
      scaffold_(std::make_shared<Scaffold>(Scaffold::Options{.saver_options = saver_options()})),
      record_(std::make_shared<RunRecordHook>()) {
  // What is written about a step comes before the checkpoint of that step: after a crash between the two, the
  // step is run and written again.
  add_input_hook(files.input);
  all_.push_back(record_);
  add_log_hooks();
  add_evaluation_hook(files.evaluation);
  check_best();
  add_summary_hook();
  add_saver_hook();
  add_stop_hooks();
}

Saver::Options TrainHooks::saver_options() const {
  Saver::Options saver;
  saver.max_to_keep = options_.keep;
  saver.mode = options_.save_mode;
  // So that a folder that is moved is still one to go on from.
  saver.save_relative_paths = true;
  saver.verify_checksums = options_.verify_checksums;
  saver.capture_limit_bytes = options_.capture_limit.value_or(saver.capture_limit_bytes);
  if (options_.keep_best) {
    saver.keep_best = options_.keep_best->count;
    saver.best = options_.keep_best->best;
    saver.value = [this] { return best_value(); };
  }
  return saver;
}

void TrainHooks::check_best() const {
  if (!options_.keep_best) {
    return;
  }
  const std::string& name = options_.keep_best->name;
  const std::vector<std::string> logged = log_->names();
  const auto is_in = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!is_in(logged) && !is_in(options_.evaluate)) {
    throw UsageError(fmt::format(
        "--keep-best: '{}' is neither logged nor evaluated; add it to --log or --evaluate", name));
  }
}

std::optional<double> TrainHooks::best_value() const {
  const std::string& name = options_.keep_best->name;
  // Of a value that is both, the one over other data says more.
  if (std::find(options_.evaluate.begin(), options_.evaluate.end(), name) != options_.evaluate.end()) {
    for (const auto& [evaluated, value] : evaluation_->last_result().value_or(EvaluationResult())) {
      if (evaluated == name) {
        return value;
      }
    }
    return std::nullopt;
  }
  for (const LogHook::LastValue& last : log_->last_values()) {
    if (last.name == name && is_one_real_number(last.value.view())) {
      return last.value.view().as_double();
    }
  }
  return std::nullopt;
}

void TrainHooks::add_input_hook(const std::vector<NamedFile>& files) {
  BoundInput bound = bind_input(input_request(options_, files), model_,
                                [this](const std::string& name) { return model_.find_input(name); });
  feeds_ = std::move(bound.feeds);
  input_tensors_ = std::move(bound.tensors);
  if (bound.data) {
    input_ = std::make_shared<InputHook>(*std::move(bound.data), input_tensors_);
    all_.push_back(input_);
  }
}

void TrainHooks::add_log_hooks() {
  const auto goal = [this] { return goal_; };
  progress_ = make_hook<ProgressHook>({.style = options_.quiet ? ProgressStyle::kNone : options_.progress,
                                       .screen = screen_,
                                       .time_limit = options_.time_limit,
                                       .goal = goal});
  LogHook::Options log;
  log.values = find_values(model_, options_.log);
  if (options_.log.empty()) {
    if (const std::optional<NamedOutput> loss = default_value(model_, options_.signature)) {
      log.values.push_back(*loss);
    }
  }
  log.every = options_.log_every;
  log.on_nan = options_.on_nan;
  log.goal = goal;
  log.log_to.emplace_back([this](const StepValues& values) { write_values(values); });
  log.show_to.emplace_back([this](const StepValues& values) { progress_->show(values); });
  log_ = make_hook<LogHook>(std::move(log));
  all_.push_back(log_);
  all_.push_back(progress_);
}

void TrainHooks::write_values(const StepValues& values) {
  if (metrics_) {
    metrics_->write(values);
  }
  note_event([&](EventWriter& writer) { add_scalars(writer, values); });
}

// A disk that is full for an hour ends no run; what is missing in the curves is said once.
void TrainHooks::note_event(const std::function<void(EventWriter&)>& note) {
  if (!events_) {
    return;
  }
  try {
    note(*events_);
  } catch (const Error& error) {
    screen_->message(
        LogLevel::kError,
        fmt::format("{}; training goes on, its values are no longer written there", error.what()));
    events_ = nullptr;
  }
}

void TrainHooks::add_evaluation_hook(const std::vector<NamedFile>& files) {
  if (options_.evaluate.empty()) {
    return;
  }
  const EvaluationNames names(model_, options_.signature, options_.evaluate);
  BoundInput bound = bind_input(evaluation_request(options_, files), model_,
                                [&](const std::string& name) { return names.input(name); });
  Evaluation evaluation({.values = names.values(),
                         .data = std::move(bound.data),
                         .inputs = std::move(bound.tensors),
                         .feeds = std::move(bound.feeds)});
  evaluation_ = make_hook<EvaluationHook>(
      {.evaluation = std::move(evaluation),
       .every = options_.evaluate_every,
       .show_to = [this](Step step, const EvaluationResult& result) { show_evaluation(step, result); }});
  all_.push_back(evaluation_);
}

void TrainHooks::show_evaluation(Step step, const EvaluationResult& result) {
  std::string text = fmt::format("evaluation at step {}:", step);
  for (const auto& [name, value] : result) {
    text += fmt::format("  {} {}", name, short_number(value));
    note_event([&, &tag = name, number = value](EventWriter& writer) {
      writer.add_scalar("evaluation/" + tag, number, step);
    });
  }
  screen_->line(text);
}

void TrainHooks::add_summary_hook() {
  if (!options_.summaries_every) {
    return;
  }
  if (!model_.default_summary_op()) {
    throw UsageError(fmt::format("{} has no summaries; leave out --summaries", options_.model));
  }
  all_.push_back(make_hook<SummarySaverHook>({.save_steps = options_.summaries_every,
                                              .output_dir = options_.checkpoint_dir,
                                              .scaffold = scaffold_}));
}

void TrainHooks::add_saver_hook() {
  if (options_.checkpoint_dir.empty()) {
    return;
  }
  CheckpointSaverHook::Options saver;
  saver.checkpoint_dir = options_.checkpoint_dir;
  if (options_.save_every.kind() == Interval::Kind::kSteps) {
    saver.save_steps = static_cast<Step>(options_.save_every.value());
  } else {
    saver.save_secs = options_.save_every.value();
  }
  saver.scaffold = scaffold_;
  saver.on_failure = options_.on_save_failure;
  saver_ = make_hook<CheckpointSaverHook>(std::move(saver));
  all_.push_back(saver_);
}

void TrainHooks::add_stop_hooks() {
  if (options_.last_step || options_.num_steps) {
    stop_ = make_hook<StopAtStepHook>({.num_steps = options_.num_steps, .last_step = options_.last_step});
    all_.push_back(stop_);
  }
  if (options_.time_limit) {
    all_.push_back(make_hook<TimeLimitHook>({.limit = *options_.time_limit}));
  }
}

std::vector<Output> TrainHooks::fed() const {
  std::vector<Output> tensors = input_tensors_;
  for (const auto& feed : feeds_) {
    tensors.push_back(feed.first);
  }
  return tensors;
}

void TrainHooks::start(Step start_step) {
  if (stop_) {
    goal_ = stop_->last_step();
  }
  if (input_ && input_->batches().batches_left()) {
    const Step end_of_input = start_step + *input_->batches().batches_left();
    goal_ = std::min(goal_.value_or(end_of_input), end_of_input);
  }
  if (!options_.metrics_file.empty()) {
    metrics_.emplace(options_.metrics_file, start_step);
  }
  if (!options_.checkpoint_dir.empty()) {
    events_ = shared_event_writer(options_.checkpoint_dir);
    // An earlier run may have gone further than the checkpoint that this one goes on from.
    note_event([&](EventWriter& writer) { writer.add_session_start(start_step + 1); });
  }
}

}  // namespace fermata::cli
