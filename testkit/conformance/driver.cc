#include "conformance/driver.h"

#include <algorithm>
#include <chrono>
#include <type_traits>

#include "conformance/errors.h"
#include "conformance/run_options.h"
#include "conformance/values.h"
#include "conformance/watched_session.h"

namespace fermata::conformance {
namespace {

Json error_result() { return {{"error", kind_of(std::current_exception())}}; }

}  // namespace

Driver::Driver(Phase& phase, Loop& loop, ScenarioThreads& threads)
    : phase_(phase), world_(phase.world), loop_(loop), threads_(threads) {}

Driver::Request& Driver::request(const Json& step) {
  const Json spec = has(step, "fetches") ? step["fetches"] : Json("train");
  const std::string key = text_of(spec) + text_of(member(step, "feeds")) + text_of(member(step, "options"));
  std::unique_ptr<Request>& known = requests_[key];
  if (!known) {
    FetchTree fetches(phase_.graph, spec);
    SessionRunArgs args = request_of(phase_.graph, fetches, member(step, "feeds"), member(step, "options"));
    known = std::make_unique<Request>(Request{std::move(fetches), std::move(args)});
  }
  return *known;
}

// The options that were given under this name first: the same object again.
Json Driver::with_kept_options(const Json& step) {
  const Json& name = member(step, "options_object");
  if (name.is_null()) {
    return step;
  }
  Json asked = step;
  const auto kept = kept_options_.emplace(name.get<std::string>(), member(step, "options")).first;
  asked["options"] = kept->second;
  return asked;
}

Json Driver::run(const Json& step) {
  world_.say("> run");
  Request& asked = request(with_kept_options(step));
  Json result = asked.fetches.values(loop_.run(asked.args));
  Json shown = Json::object();
  if (step.value("show_options", false)) {
    shown["options"] = options_text(asked.args.options());
  }
  if (step.value("show_metadata", false)) {
    shown["metadata"] = metadata_text(world_.run_metadata);
  }
  if (step.value("show_feeds", false)) {
    std::vector<std::string> names;
    for (const SessionRunArgs::Feed& feed : asked.args.feeds()) {
      names.push_back(feed.tensor.name().substr(0, feed.tensor.name().find(':')));
    }
    std::sort(names.begin(), names.end());
    shown["feeds"] = names;
  }
  if (shown.empty()) {
    return result;
  }
  shown["value"] = result;
  return shown;
}

Json Driver::loop(const Json& step) {
  const std::int64_t most = step.value("max", 50);
  std::int64_t runs = 0;
  while (runs < most && !loop_.should_stop()) {
    world_.say("> run");
    loop_.run(request(step).args);
    ++runs;
  }
  return {{"runs", runs}, {"should_stop", loop_.should_stop()}};
}

// Wrong functions are refused by the compiler; the others do what the scenario says.
Json Driver::step_fn(const Json& step) {
  world_.say("> step_fn");
  if (has(step, "signature")) {
    static_assert(!std::is_invocable_v<Json (*)(StepContext&, int), StepContext&>);
    static_assert(!std::is_invocable_v<Json (*)(), StepContext&>);
    throw RefusedByCompiler("InvalidArg");
  }
  std::int64_t calls = 0;
  return loop_.run_step_fn([&](StepContext& context) {
    world_.say("step_fn call " + std::to_string(++calls));
    Json result;
    for (const Json& action : step["script"]) {
      const Json& call = member(action, "call");
      if (call.is_null() || call.get<std::int64_t>() == calls) {
        step_fn_action(context, action, result);
      }
    }
    return result;
  });
}

void Driver::step_fn_action(StepContext& context, const Json& action, Json& result) {
  if (has(action, "raw_run")) {
    const FetchTree fetches(phase_.graph, action["raw_run"]);
    result = fetches.values(context.session().run(SessionRunArgs(fetches.fetches())));
  } else if (has(action, "run_with_hooks")) {
    Json asked = {{"fetches", action["run_with_hooks"]}, {"feeds", member(action, "feeds")}};
    Request& wanted = request(asked);
    result = wanted.fetches.values(context.run_with_hooks(wanted.args));
  } else if (has(action, "request_stop")) {
    context.request_stop();
  } else if (has(action, "raise")) {
    raise(action["raise"].get<std::string>());
  } else if (has(action, "return")) {
    result = action["return"];
  }
}

Json Driver::ask(const std::string& what, const Json& /*step*/) {
  if (what == "should_stop") {
    world_.say("> should_stop");
    return loop_.should_stop();
  }
  if (what == "graph") {
    return loop_.graph() == nullptr ? Json() : Json("graph");
  }
  if (what == "finalized") {
    return phase_.graph.finalized();
  }
  if (what == "raw_session") {
    return label_of(loop_.raw_session());
  }
  if (what == "coordinator_should_stop") {
    return world_.coordinators.should_stop();
  }
  if (what == "wait_until_closed_queue") {
    if (world_.coordinators.newest() == nullptr) {
      return world_.coordinators.should_stop();
    }
    return world_.coordinators.newest()->wait_for_stop(std::chrono::seconds(5));
  }
  if (what == "final_ops_values") {
    if (!phase_.final_ops) {
      throw NotExpressible("final_ops_values without a hook of that type");
    }
    const auto& values = phase_.final_ops->final_ops_values();
    return values ? FetchTree(phase_.graph, phase_.final_ops_spec).values(*values) : Json();
  }
  if (what == "threads_alive") {
    return threads_.alive();
  }
  throw NotExpressible("steps of the kind " + what);
}

Json Driver::disturb(const std::string& what, const Json& step) {
  if (what == "close") {
    world_.say("> close");
    loop_.close();
  } else if (what == "raise") {
    world_.say("> raise " + step["error"].get<std::string>());
    raise(step["error"].get<std::string>());
  } else if (what == "set_step") {
    world_.say("> set_step " + step["value"].dump());
    if (world_.session != nullptr) {
      world_.session->set_step(step["value"].get<Step>());
    }
  } else if (what == "advance_clock") {
    world_.advance(step["seconds"].get<double>());
  } else if (what == "coordinator_stop") {
    world_.say("> coordinator_stop");
    world_.report_error(member(step, "error"));
  } else if (what == "thread") {
    world_.say("> thread " + step["name"].get<std::string>());
    threads_.start(world_.coordinators.newest(), step);
  } else {
    return ask(what, step);
  }
  return nullptr;
}

Json Driver::act(const Json& step) {
  world_.hooked_run_next = false;
  const auto what = step["do"].get<std::string>();
  if (what == "run") {
    return run(step);
  }
  if (what == "loop") {
    return loop(step);
  }
  if (what == "step_fn") {
    return step_fn(step);
  }
  return disturb(what, step);
}

void Driver::act_all(const Json& steps, bool catch_all) {
  for (const Json& step : steps) {
    try {
      world_.results.push_back(act(step));
    } catch (const NotExpressible&) {
      throw;
    } catch (...) {
      world_.results.push_back(error_result());
      if (!catch_all && !step.value("catch", false)) {
        throw;
      }
    }
  }
}

}  // namespace fermata::conformance
