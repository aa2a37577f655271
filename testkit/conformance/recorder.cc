#include "conformance/recorder.h"

#include <algorithm>

#include "conformance/errors.h"
#include "conformance/run_options.h"
#include "conformance/values.h"
#include "conformance/watched_session.h"
#include "fermata/native.h"

namespace fermata::conformance {
namespace {

std::string names_of_fetches(const SessionRunArgs& args) {
  std::string names;
  for (const Fetch& fetch : args.fetches()) {
    names += (names.empty() ? "" : ",") + fetch.name();
  }
  return names;
}

std::string names_of_feeds(const SessionRunArgs& args) {
  std::vector<std::string> names;
  for (const SessionRunArgs::Feed& feed : args.feeds()) {
    const std::string name = feed.tensor.name();
    names.push_back(name.substr(0, name.find(':')));
  }
  std::sort(names.begin(), names.end());
  std::string joined;
  for (const std::string& name : names) {
    joined += (joined.empty() ? "" : "+") + name;
  }
  return joined.empty() ? "none" : joined;
}

}  // namespace

void add_an_operation(Graph& graph, const std::string& name) {
  if (graph.engine() == "native") {
    auto& watched = dynamic_cast<WatchedGraph&>(graph);
    watched.require_still_open();
    dynamic_cast<native::Graph&>(*watched.engine_graph().graph).constant(name, 1.0F);
  } else {
    graph.add_operation({.type = "NoOp", .name = name});
  }
}

Script::Script(World& world, const Json& spec) : world_(world), spec_(spec) {}

std::vector<Json> Script::due(const std::string& callback) {
  const std::int64_t call = ++calls_[callback];
  std::vector<Json> actions;
  for (const Json& action : member(spec_, "script")) {
    const Json& wanted = member(action, "call");
    if (action["at"] == callback && (wanted.is_null() || wanted.get<std::int64_t>() == call)) {
      actions.push_back(action);
    }
  }
  return actions;
}

bool Script::report(const std::string& callback, const Call& call) {
  std::string line = spec_["name"].get<std::string>() + "." + callback;
  for (const std::string& word : call.words) {
    line += " " + word;
  }
  bool answer = false;
  std::string error;
  const std::vector<Json> actions = due(callback);
  for (const Json& action : actions) {
    if (action["do"] == "request_stop") {
      line += " request_stop";
      if (call.context != nullptr) {
        call.context->request_stop();
      }
    } else if (action["do"] == "return_stop") {
      line += " -> stop";
      answer = true;
    } else if (action["do"] == "raise" && error.empty()) {
      error = action["error"].get<std::string>();
    }
  }
  world_.say(line + (error.empty() ? "" : " ! " + error));
  for (const Json& action : actions) {
    act(action, call);
  }
  if (!error.empty()) {
    raise(error);
  }
  return answer;
}

void Script::act(const Json& action, const Call& call) {
  const auto what = action["do"].get<std::string>();
  if (call.session == nullptr && (what == "raw_run" || what == "set_step")) {
    throw Misuse("there is no session yet");
  }
  if (what == "raw_run") {
    const auto& graph = dynamic_cast<WatchedGraph&>(call.session->graph());
    static_cast<void>(call.session->run(SessionRunArgs(FetchTree(graph, action["fetches"]).fetches())));
  } else if (what == "set_step") {
    dynamic_cast<WatchedSession&>(*call.session).set_step(action["value"].get<Step>());
  } else if (what == "report_error") {
    world_.report_error(member(action, "error"));
  }
}

RecorderHook::RecorderHook(World& world, const Json& spec)
    : world_(world), spec_(spec), script_(world, spec) {}

std::string RecorderHook::name() const { return spec_["name"].get<std::string>(); }

void RecorderHook::begin(Graph& graph) {
  script_.report("begin", {});
  fetches_.reset();
  args_.reset();
  for (const Json& action : member(spec_, "script")) {
    if (action["at"] == "begin" && action["do"] == "add_op") {
      world_.say(name() + " adds an op");
      add_an_operation(graph, "added_by_" + name());
    }
  }
}

void RecorderHook::after_create_session(Session& session, Coordinator* coordinator) {
  world_.coordinators.show(coordinator);
  auto& watched = dynamic_cast<WatchedSession&>(session);
  std::string words = watched.label() + " " +
                      (coordinator == nullptr ? std::string("null") : world_.coordinators.label()) +
                      watched.step_words();
  script_.report("after_create_session", {.words = {words}, .session = &session});
}

const SessionRunArgs* RecorderHook::before_run(SessionRunContext& context) {
  Script::Call call{{where(&context.session())}, &context, &context.session()};
  if (context.stop_requested()) {
    call.words.emplace_back("stop_requested");
  }
  if (spec_.value("show_args", false)) {
    const SessionRunArgs& args = context.original_args();
    call.words.push_back("original=fetches:" + names_of_fetches(args) + ",feeds:" + names_of_feeds(args) +
                         ",options:" + options_text(args.options()));
  }
  script_.report("before_run", call);
  if (!has(spec_, "fetches") && !has(spec_, "feeds") && !has(spec_, "options")) {
    return nullptr;
  }
  if (!args_) {
    const auto& graph = dynamic_cast<WatchedGraph&>(context.session().graph());
    fetches_.emplace(graph, member(spec_, "fetches"));
    args_ = request_of(graph, *fetches_, member(spec_, "feeds"), member(spec_, "options"));
  }
  return &*args_;
}

void RecorderHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  Script::Call call{{where(&context.session())}, &context, &context.session()};
  if (context.stop_requested()) {
    call.words.emplace_back("stop_requested");
  }
  if (has(spec_, "fetches")) {
    call.words.push_back("results=" + text_of(fetches_->values(values.results())));
  }
  if (spec_.value("show_args", false)) {
    call.words.push_back("options=" + options_text(&values.options()));
  }
  if (spec_.value("show_metadata", false)) {
    call.words.push_back("metadata=" + metadata_text(values.run_metadata().serialized));
  }
  script_.report("after_run", call);
}

void RecorderHook::end(Session& session) {
  script_.report("end", {.words = {where(&session)}, .session = &session});
}

RecorderListener::RecorderListener(World& world, const Json& spec) : script_(world, spec) {}

void RecorderListener::begin() { script_.report("begin", {}); }

void RecorderListener::before_save(Session& session, Step step) {
  script_.report("before_save",
                 {.words = {label_of(&session), "step=" + std::to_string(step)}, .session = &session});
}

bool RecorderListener::after_save(Session& session, Step step) {
  return script_.report("after_save",
                        {.words = {label_of(&session), "step=" + std::to_string(step)}, .session = &session});
}

void RecorderListener::end(Session& session, Step step) {
  script_.report("end", {.words = {label_of(&session), "step=" + std::to_string(step)}, .session = &session});
}

void WatchHook::after_create_session(Session& /*session*/, Coordinator* coordinator) {
  world_.coordinators.show(coordinator);
}

const SessionRunArgs* WatchHook::before_run(SessionRunContext& /*context*/) {
  world_.hooked_run_next = last_;
  return nullptr;
}

void WatchHook::after_run(SessionRunContext& /*context*/, const SessionRunValues& values) {
  world_.run_metadata = values.run_metadata().serialized;
}

}  // namespace fermata::conformance
