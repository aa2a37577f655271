#include "cli/train_options.h"

#include <algorithm>

#include "cli/parse.h"
#include "cli/setters.h"
#include "cli/usage_error.h"

namespace fermata::cli {
namespace {

// Of two assignments to one NAME the later one counts.
SetOption set_assignment(std::vector<Assignment>& field) {
  return [&field](const std::string& option, const std::string& value) {
    const auto assignment = parse_assignment(option, value);
    const std::string& name = assignment.first;
    const std::string& content = assignment.second;
    const auto same =
        std::find_if(field.begin(), field.end(), [&](const Assignment& a) { return a.name == name; });
    if (same != field.end()) {
      same->value = content;
    } else {
      field.push_back({name, content});
    }
  };
}

OptionGroup length_group(TrainOptions& o) {
  return {"How far (without a step limit: until the input ends)",
          {{"--last-step", "N", "stop at this step, counted from the beginning of training",
            set_integer(o.last_step, 0)},
           {"--num-steps", "N", "stop after this many steps from where this run starts",
            set_integer(o.num_steps, 0)},
           {"--time-limit", "TIME", "stop after this time: 90s, 30m, 2h",
            [&o](const std::string& option, const std::string& value) {
              o.time_limit = parse_duration(option, value);
            }}}};
}

OptionGroup input_group(TrainOptions& o) {
  return {
      "Input",
      {{"--input", "NAME=FILE.npy",
        "feed the rows of this file to NAME, a tensor or an input of the signature", set_assignment(o.inputs),
        true},
       {"--batch-size", "B", "rows in a step (default: what the graph wants, else 32)",
        set_integer(o.batch_size, 1)},
       {"--shuffle", "SEED", "a new order of the rows in each epoch, made from SEED (default: file order)",
        [&o](const std::string& option, const std::string& value) {
          o.shuffle_seed = parse_seed(option, value);
        }},
       {"--epochs", "E", "end after the rows were used E times (default: they repeat)",
        set_integer(o.epochs, 1)},
       {"--drop-remainder", "", "leave out the smaller batch at the end of an epoch",
        set_true(o.drop_remainder)},
       {"--feed", "NAME=VALUE", "feed this value in every step: a number, true, a text, [1,2,3]",
        set_assignment(o.feeds), true}}};
}

OptionGroup watching_group(TrainOptions& o) {
  return {
      "Watching",
      {{"--log", "NAME[,NAME...]", "values to show and to write down (default: the loss)", set_names(o.log)},
       {"--log-every", "N", "steps between them (default: 100)", set_integer(o.log_every, 1)},
       {"--metrics", "FILE.jsonl", "also write them to this file, a line of JSON for each logged step",
        set_text(o.metrics_file)},
       {"--on-nan", "stop|fail|show", "what to do when one is not a number (default: show)",
        set_choice(o.on_nan, {{"stop", OnNan::kStop}, {"fail", OnNan::kFail}, {"show", OnNan::kShow}})},
       {"--summaries", "N", "write the graph's own summaries every N steps into the checkpoint folder",
        set_integer(o.summaries_every, 1)}}};
}

OptionGroup model_group(TrainOptions& o) {
  return {
      "What the model does not say itself",
      {{"--train-op", "NAME", "the operation that makes a step", set_text(o.train_op)},
       {"--global-step", "NAME", "the variable that counts the steps", set_text(o.global_step)},
       {"--count-steps", "", "for a graph without such a variable: count here, keep it with the checkpoint",
        set_true(o.count_steps)},
       {"--signature", "NAME", "the signature of a SavedModel that trains (default: train)",
        set_text(o.signature)},
       {"--tags", "A[,B...]", "the tags of the graph in a SavedModel", set_names(o.tags)}}};
}

OptionGroup checkpoint_group(TrainOptions& o) {
  return {
      "Checkpoints",
      {{"--checkpoint-dir", "DIR", "save here and go on from what is here (default: nothing is saved)",
        set_text(o.checkpoint_dir)},
       {"--save-every", "STEPS|TIME", "500 steps or 60s between checkpoints (default: 10m)",
        [&o](const std::string& option, const std::string& value) {
          o.save_every = parse_interval(option, value);
        }},
       {"--keep", "N", "how many to keep; 0: all (default: 5)", set_int(o.keep)},
       {"--keep-best", "N:NAME[:min|max]",
        "besides these the N with the lowest (max: highest) value of NAME, logged or evaluated",
        [&o](const std::string& option, const std::string& value) {
          o.keep_best = parse_best(option, value);
        }},
       {"--save-mode", "async|sync|graph",
        "written beside the steps, while they wait, or by the graph's own saver (default: async)",
        set_choice(o.save_mode,
                   {{"async", SaveMode::kAsync}, {"sync", SaveMode::kSync}, {"graph", SaveMode::kGraph}})},
       {"--capture-limit", "SIZE",
        "what values may take in memory a second time (2GB); more is written by the graph's own saver",
        set_size(o.capture_limit)},
       {"--on-save-failure", "continue|fail",
        "what a full disk does to the run; the last save must succeed (default: continue)",
        set_choice(o.on_save_failure,
                   {{"continue", OnSaveFailure::kContinue}, {"fail", OnSaveFailure::kFail}})},
       {"--verify-checkpoints", "checksums|sizes",
        "what is compared before one is restored; sizes always are (default: checksums)",
        set_choice(o.verify_checksums, {{"checksums", true}, {"sizes", false}})},
       {"--restore-from", "PREFIX", "start from this checkpoint where DIR has none (fine-tuning)",
        set_text(o.restore_from)}}};
}

OptionGroup evaluation_group(TrainOptions& o) {
  return {"Evaluation",
          {{"--evaluate", "NAME[,NAME...]", "values to compute over other data, at the end",
            set_names(o.evaluate)},
           {"--evaluate-input", "NAME=FILE.npy", "the rows of that data", set_assignment(o.evaluate_inputs),
            true},
           {"--evaluate-feed", "NAME=VALUE", "a value fed in each of its batches",
            set_assignment(o.evaluate_feeds), true},
           {"--evaluate-every", "N", "also every N steps", set_integer(o.evaluate_every, 1)}}};
}

OptionGroup engine_group(TrainOptions& o) {
  return {
      "TensorFlow",
      {{"--executor", "KIND", "what runs a step: auto, pool, caller, single (default: auto)",
        set_choice(o.executor, {{"auto", Executor::kAuto},
                                {"pool", Executor::kPool},
                                {"caller", Executor::kCaller},
                                {"single", Executor::kSingle}})},
       {"--intra-op", "N", "threads inside an operation (default: one a core)", set_int(o.intra_op_threads)},
       {"--inter-op", "N", "threads for operations (default: one a core)", set_int(o.inter_op_threads)},
       {"--tensorflow-dir", "DIR", "the folder with TensorFlow's libraries (default: it is searched)",
        set_text(o.tensorflow_dir)}}};
}

OptionGroup output_group(TrainOptions& o) {
  return {"Output",
          {{"--report", "FILE.json", "write what happened to this file at the end, also after a failure",
            set_text(o.report_file)},
           {"--progress", "auto|bar|lines|none",
            "how progress is shown (default: a bar on a terminal, else lines)",
            set_choice(o.progress, {{"auto", ProgressStyle::kAuto},
                                    {"bar", ProgressStyle::kBar},
                                    {"lines", ProgressStyle::kLines},
                                    {"none", ProgressStyle::kNone}})},
           {"--quiet", "", "show warnings and errors only", set_true(o.quiet)},
           {"-v,--verbose", "", "show more, TensorFlow's own messages too", set_true(o.verbose)}}};
}

CommandSpec train_command(TrainOptions& o) {
  return {"fermata train",
          "Trains a TensorFlow graph: a .meta file, or the folder of a SavedModel with a signature `train`.",
          {length_group(o), input_group(o), watching_group(o), model_group(o), checkpoint_group(o),
           evaluation_group(o), engine_group(o), output_group(o)}};
}

void check_together(const TrainOptions& options) {
  if (options.last_step && options.num_steps) {
    throw UsageError(
        "--last-step and --num-steps were both given; give one of them: the first counts from the beginning "
        "of "
        "training, the second from where this run starts");
  }
  if (options.inputs.empty() && (options.epochs || options.drop_remainder || options.shuffle_seed)) {
    throw UsageError(
        "--epochs, --shuffle and --drop-remainder are about files: give --input NAME=FILE.npy too");
  }
  if (options.evaluate.empty() && (!options.evaluate_inputs.empty() || !options.evaluate_feeds.empty() ||
                                   options.evaluate_every.has_value())) {
    throw UsageError("there is data for an evaluation, but no --evaluate NAME that says what to compute");
  }
  if (options.keep_best && options.checkpoint_dir.empty()) {
    throw UsageError("--keep-best needs --checkpoint-dir DIR, the folder with the checkpoints");
  }
  if (options.summaries_every && options.checkpoint_dir.empty()) {
    throw UsageError("--summaries needs --checkpoint-dir DIR, the folder that the summaries go to");
  }
}

}  // namespace

std::optional<TrainOptions> parse_train_options(const std::vector<std::string>& args) {
  TrainOptions options;
  std::optional<CommandLine> line = parse_command_line(train_command(options), args);
  if (!line) {
    return std::nullopt;
  }
  options.model = std::move(line->model);
  options.given = std::move(line->given);
  check_together(options);
  return options;
}

}  // namespace fermata::cli
