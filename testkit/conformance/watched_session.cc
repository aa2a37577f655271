#include "conformance/watched_session.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "conformance/errors.h"
#include "conformance/values.h"
#include "conformance/watched_plan.h"
#include "fermata/error.h"

namespace fermata::conformance {
namespace {

const std::map<std::string, std::string>& custom_pieces() {
  static const std::map<std::string, std::string> kPieces = {
      {"custom/init", "init"},
      {"custom/init_step_only", "init"},
      {"custom/init_w_from_x", "init"},
      {"custom/local_init", "local_init"},
      {"custom/local_init_from_x", "local_init"},
      {"custom/ready", "ready"},
      {"custom/never_ready", "ready"},
      {"custom/ready_int", "ready"},
      {"custom/never_ready_for_local", "ready_for_local_init"}};
  return kPieces;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end() ||
         std::find(names.begin(), names.end(), name + ":0") != names.end();
}

}  // namespace

WatchedSession::WatchedSession(WatchedGraph& graph, const std::function<std::shared_ptr<Session>()>& open,
                               bool of_server)
    : graph_(graph), world_(graph.world()), of_server_(of_server) {
  world_.hooked_run_next = false;
  if (world_.hidden) {
    label_ = "S0";
    inner_ = open();
    return;
  }
  label_ = "S" + std::to_string(++world_.sessions);
  const Json& clock_per_create = world_.per_create();
  if (!clock_per_create.is_null()) {
    world_.advance(clock_per_create.get<double>());
  }
  const Json& fault = world_.fault("create", world_.sessions);
  if (!fault.is_null()) {
    const auto kind = fault["error"].get<std::string>();
    world_.say("new " + label_ + " ! " + kind);
    raise(kind);
  }
  world_.say("new " + label_);
  inner_ = open();
  world_.session = this;
}

WatchedSession::WatchedSession(const WatchedSession& lender)
    : graph_(lender.graph_),
      world_(lender.world_),
      label_(lender.label_),
      inner_(lender.inner_),
      lent_(true) {}

std::unique_ptr<WatchedSession> WatchedSession::lend() {
  return std::unique_ptr<WatchedSession>(new WatchedSession(*this));
}

WatchedSession::~WatchedSession() {
  if (world_.session == this) {
    world_.session = nullptr;
  }
}

bool WatchedSession::watching() const { return world_.on_main_thread() && !world_.hidden; }

Json WatchedSession::peek() {
  if (graph_.engine_graph().unseen_step.empty()) {
    return nullptr;
  }
  if (closed()) {
    return "closed";
  }
  try {
    return number(inner_->run(Fetch(graph_.engine_graph().unseen_step)).view().as_double());
  } catch (const Misuse&) {
    return "closed";
  } catch (const Error& error) {
    return error.code() == Code::kFailedPrecondition ? "uninitialized" : "closed";
  }
}

std::string WatchedSession::step_words() {
  const Json step = peek();
  return step.is_null()     ? std::string()
         : step.is_string() ? " step=" + step.get<std::string>()
                            : " step=" + step.dump();
}

void WatchedSession::set_step(Step step) { graph_.engine_graph().set_step(*inner_, step); }

std::unique_ptr<StepPlan> WatchedSession::prepare(const PlanRequest& request) {
  if (closed_) {
    throw Misuse("a request was prepared on a session that is closed");
  }
  if (!inner_->closed()) {
    return std::make_unique<WatchedPlan>(*this, request, inner_->prepare(graph_.inner(request)));
  }
  return inner_->prepare(graph_.inner(request));
}

void WatchedSession::close() {
  if (lent_) {
    return;
  }
  if (!watching()) {
    close_inner();
    return;
  }
  if (std::exchange(close_was_called_, true) && closed()) {
    return;
  }
  const Json step = peek();
  world_.final_step = step.is_string() ? Json() : step;
  ++world_.closes;
  const Json& fault = world_.fault("close", world_.closes);
  world_.say("close " + label_ + (fault.is_null() ? "" : " ! " + fault["error"].get<std::string>()));
  world_.coordinators.forget();
  if (!fault.is_null()) {
    raise(fault["error"].get<std::string>());
  }
  close_inner();
}

void WatchedSession::close_inner() {
  closed_ = true;
  if (!of_server_) {
    inner_->close();
  }
}

void WatchedSession::raw(const std::string& what, const std::function<std::string()>& body) {
  const std::string word = what.substr(0, what.find(' '));
  const std::string line = "raw " + label_ + " " + what;
  const Json& fault = world_.raw_fault(word, ++world_.raw_counts[word]);
  if (!fault.is_null()) {
    world_.say(line + " ! " + fault["error"].get<std::string>());
    raise(fault["error"].get<std::string>());
  }
  std::string said;
  try {
    said = body();
  } catch (...) {
    world_.say(line + " ! " + kind_of(std::current_exception()));
    throw;
  }
  world_.say(line + said);
}

Step WatchedSession::read_step() {
  if (!watching()) {
    return inner_->read_step();
  }
  Step step = 0;
  raw("read_step", [&] {
    step = inner_->read_step();
    return " = " + std::to_string(step);
  });
  return step;
}

void WatchedSession::save_variables(const SaverDef& saver, const std::string& prefix) {
  if (!watching()) {
    inner_->save_variables(saver, prefix);
    return;
  }
  raw("save " + std::filesystem::path(prefix).filename().string(), [&] {
    inner_->save_variables(saver, prefix);
    return std::string();
  });
}

void WatchedSession::restore_variables(const SaverDef& saver, const std::string& prefix) {
  if (!watching()) {
    inner_->restore_variables(saver, prefix);
    return;
  }
  raw("restore " + std::filesystem::path(prefix).filename().string(), [&] {
    inner_->restore_variables(saver, prefix);
    return std::string();
  });
}

std::vector<std::string> WatchedSession::restore_available(const SaverDef& saver, const std::string& prefix) {
  return inner_->restore_available(saver, prefix);
}

std::string WatchedSession::name_of(const PlanRequest& request) const {
  std::vector<std::string> names;
  for (const Output& output : request.fetches) {
    names.push_back(output.name());
  }
  for (const Operation& operation : request.targets) {
    names.push_back(operation.name());
  }
  if (names.size() == 1) {
    const std::string& name = names.front();
    if (!graph_.engine_graph().step_read.empty() && name == graph_.engine_graph().step_read) {
      return "read_step";
    }
    for (const char* piece : {"ready", "init", "local_init", "ready_for_local_init"}) {
      if (contains(graph_.collection(std::string(piece) + "_op"), name)) {
        return piece;
      }
    }
    const auto custom = custom_pieces().find(name.substr(0, name.find(':')));
    if (custom != custom_pieces().end()) {
      return custom->second;
    }
  }
  std::string all;
  for (const std::string& name : names) {
    all += (all.empty() ? "" : ",") + name.substr(0, name.find(':'));
  }
  return "eval " + all;
}

std::string label_of(Session* session) {
  if (session == nullptr) {
    return "null";
  }
  const auto* watched = dynamic_cast<WatchedSession*>(session);
  return watched == nullptr ? "?" : watched->label();
}

std::string where(Session* session) {
  auto* watched = dynamic_cast<WatchedSession*>(session);
  return label_of(session) + (watched == nullptr ? std::string() : watched->step_words());
}

}  // namespace fermata::conformance
