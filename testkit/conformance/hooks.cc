// One function for each type of hook: a new type is one more entry of the table.
#include <functional>
#include <map>

#include "conformance/errors.h"
#include "conformance/phase.h"
#include "conformance/recorder.h"
#include "conformance/values.h"
#include "fermata/hooks/feed_fn_hook.h"
#include "fermata/hooks/global_step_waiter_hook.h"
#include "fermata/hooks/logging_tensor_hook.h"
#include "fermata/hooks/nan_tensor_hook.h"
#include "fermata/hooks/profiler_hook.h"
#include "fermata/hooks/step_counter_hook.h"
#include "fermata/hooks/stop_at_step_hook.h"
#include "fermata/hooks/summary_saver_hook.h"

namespace fermata::conformance {
namespace {

template <typename T>
std::optional<T> optional(const Json& args, const char* key) {
  const Json& value = member(args, key);
  return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

// Paths in arguments; absent and null: "".
std::string folder(const Phase& phase, const Json& args, const char* key) {
  const Json& value = member(args, key);
  return value.is_null() ? std::string() : phase.world.path(value);
}

// Given together they are refused by the constructor, as they should be; steps have a default in the
// reference, which counts only where seconds were not given.
std::optional<Step> every_steps(const Json& args, const char* key, Step by_default) {
  return has(args, key) ? optional<Step>(args, key) : std::optional(by_default);
}

HookPtr stop_at_step(Phase& /*phase*/, const Json& args) {
  return make_hook<StopAtStepHook>(
      {.num_steps = optional<Step>(args, "num_steps"), .last_step = optional<Step>(args, "last_step")});
}

Fetch logged(const Phase& phase, const std::string& spec) {
  return spec.rfind("tensor:", 0) == 0 ? phase.graph.fetch(spec.substr(7)) : Fetch(spec);
}

std::string formatted(const std::vector<std::pair<std::string, TensorView>>& values) {
  std::map<std::string, std::string> sorted;
  for (const auto& [tag, value] : values) {
    const Json shown = plain(value);
    sorted[tag] = text_of(shown.is_boolean() ? Json(shown.get<bool>() ? 1 : 0) : shown);
  }
  std::string line = "LOG";
  for (const auto& [tag, text] : sorted) {
    line += " ";
    line += tag;
    line += ":";
    line += text;
  }
  return line;
}

HookPtr logging_tensor(Phase& phase, const Json& args) {
  LoggingTensorHook::Options options;
  options.every_n_iter = optional<std::int64_t>(args, "every_n_iter");
  options.every_n_secs = optional<double>(args, "every_n_secs");
  options.at_end = args.value("at_end", false);
  options.clock = phase.world.clock;
  if (args.value("formatter", false)) {
    options.formatter = formatted;
  }
  const Json& tensors = args["tensors"];
  if (tensors.is_object()) {
    // The reference sorts a map by its tags.
    std::map<std::string, std::string> sorted;
    for (const auto& [tag, tensor] : tensors.items()) {
      sorted[tag] = tensor.get<std::string>();
    }
    for (const auto& [tag, tensor] : sorted) {
      options.tensors.push_back({tag, logged(phase, tensor)});
    }
  } else {
    for (const Json& tensor : tensors) {
      const auto spec = tensor.get<std::string>();
      options.tensors.push_back({spec.rfind("tensor:", 0) == 0 ? "" : spec, logged(phase, spec)});
    }
  }
  return std::make_shared<LoggingTensorHook>(std::move(options));
}

HookPtr checkpoint_saver(Phase& phase, const Json& args) {
  CheckpointSaverHook::Options options;
  options.checkpoint_dir = folder(phase, args, "checkpoint_dir");
  options.save_secs = optional<double>(args, "save_secs");
  options.save_steps = optional<Step>(args, "save_steps");
  options.checkpoint_basename = args.value("checkpoint_basename", std::string("model.ckpt"));
  options.save_graph_def = args.value("save_graph_def", true);
  options.clock = phase.world.clock;
  // As in the reference; Fermata's default goes on where the system refused a save.
  options.on_failure = OnSaveFailure::kFail;
  for (const Json& listener : member(args, "listeners")) {
    options.listeners.push_back(std::make_shared<RecorderListener>(phase.world, listener));
  }
  const bool with_scaffold = args.value("use_scaffold", phase.scaffold != nullptr && !has(args, "saver"));
  if (with_scaffold) {
    options.scaffold = phase.scaffold ? phase.scaffold : std::make_shared<Scaffold>();
  }
  if (has(args, "saver")) {
    options.saver = make_saver(phase.world, phase.graph, args["saver"]);
  }
  return std::make_shared<CheckpointSaverHook>(std::move(options));
}

HookPtr step_counter(Phase& phase, const Json& args) {
  return make_hook<StepCounterHook>({.every_n_steps = every_steps(args, "every_n_steps", 100),
                                     .every_n_secs = optional<double>(args, "every_n_secs"),
                                     .output_dir = folder(phase, args, "output_dir"),
                                     .clock = phase.world.clock});
}

void add_fetches(const Phase& phase, const Json& spec, std::vector<Fetch>& into) {
  if (spec.is_string()) {
    into.push_back(phase.graph.fetch(spec.get<std::string>()));
  } else if (spec.is_structured()) {
    for (const Json& inner : spec) {
      add_fetches(phase, inner, into);
    }
  }
}

HookPtr nan_tensor(Phase& phase, const Json& args) {
  NanTensorHook::Options options;
  add_fetches(phase, args["loss"], options.loss_tensors);
  options.fail_on_nan_loss = args.value("fail_on_nan_loss", true);
  return std::make_shared<NanTensorHook>(std::move(options));
}

std::vector<Fetch> summaries_of(const Phase& phase, const std::string& kind) {
  if (kind == "merged") {
    const std::optional<Output> merged = phase.graph.default_summary_op();
    return merged ? std::vector<Fetch>{*merged} : std::vector<Fetch>();
  }
  std::vector<std::string> names = phase.graph.engine_graph().summaries;
  if (names.empty()) {
    names = phase.graph.collection("summaries");
  }
  return {names.begin(), names.end()};
}

HookPtr summary_saver(Phase& phase, const Json& args) {
  SummarySaverHook::Options options;
  options.save_steps = optional<Step>(args, "save_steps");
  options.save_secs = optional<double>(args, "save_secs");
  options.output_dir = folder(phase, args, "output_dir");
  options.clock = phase.world.clock;
  if (!member(args, "summary_op").is_null()) {
    options.summary_op = summaries_of(phase, args["summary_op"].get<std::string>());
  }
  if (args.value("use_scaffold", false)) {
    options.scaffold = phase.scaffold ? phase.scaffold : std::make_shared<Scaffold>();
  }
  return std::make_shared<SummarySaverHook>(std::move(options));
}

HookPtr final_ops(Phase& phase, const Json& args) {
  FinalOpsHook::Options options;
  add_fetches(phase, member(args, "final_ops"), options.final_ops);
  if (has(args, "feeds")) {
    for (const auto& [name, value] : args["feeds"].items()) {
      options.final_ops_feed_dict.push_back(phase.graph.named_feed(name, value));
    }
  }
  phase.final_ops_spec = member(args, "final_ops");
  phase.final_ops = std::make_shared<FinalOpsHook>(std::move(options));
  return phase.final_ops;
}

HookPtr feed_fn(Phase& phase, const Json& args) {
  auto calls = std::make_shared<std::size_t>(0);
  return make_hook<FeedFnHook>({.feed_fn = [&world = phase.world, &graph = phase.graph, args, calls] {
    const std::size_t call = ++*calls;
    world.say("feed_fn call " + std::to_string(call));
    const Json& fault = member(args, "raise");
    if (!fault.is_null() && fault["call"].get<std::size_t>() == call) {
      raise(fault["error"].get<std::string>());
    }
    std::vector<std::pair<std::string, Tensor>> feeds;
    for (const auto& [name, values] : args["values"].items()) {
      feeds.push_back(graph.named_feed(name, values[std::min(call, values.size()) - 1]));
    }
    return feeds;
  }});
}

HookPtr global_step_waiter(Phase& phase, const Json& args) {
  return make_hook<GlobalStepWaiterHook>(
      {.wait_until_step = args["wait_until_step"].get<Step>(), .clock = phase.world.clock});
}

HookPtr profiler(Phase& phase, const Json& args) {
  ProfilerHook::Options options;
  options.save_steps = optional<Step>(args, "save_steps");
  options.save_secs = optional<double>(args, "save_secs");
  options.output_dir = folder(phase, args, "output_dir");
  options.show_dataflow = args.value("show_dataflow", true);
  options.show_memory = args.value("show_memory", false);
  options.clock = phase.world.clock;
  return std::make_shared<ProfilerHook>(std::move(options));
}

using Maker = std::function<HookPtr(Phase&, const Json&)>;

const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> kMakers = {
      {"stop_at_step", stop_at_step}, {"logging_tensor", logging_tensor},
      {"step_counter", step_counter}, {"checkpoint_saver", checkpoint_saver},
      {"nan_tensor", nan_tensor},     {"summary_saver", summary_saver},
      {"final_ops", final_ops},       {"feed_fn", feed_fn},
      {"profiler", profiler},         {"global_step_waiter", global_step_waiter},
  };
  return kMakers;
}

}  // namespace

HookPtr make_hook_of(Phase& phase, const Json& spec) {
  const auto type = spec["type"].get<std::string>();
  if (type == "recorder") {
    return std::make_shared<RecorderHook>(phase.world, spec);
  }
  const auto maker = makers().find(type);
  if (maker == makers().end()) {
    throw NotExpressible("hooks of the type " + type);
  }
  const Json& args = member(spec, "args");
  return maker->second(phase, args.is_null() ? Json::object() : args);
}

}  // namespace fermata::conformance
