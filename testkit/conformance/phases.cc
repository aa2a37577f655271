// Monitored sessions: set-up, the block, what comes after it, further phases.
#include <glob.h>

#include <filesystem>

#include "conformance/driver.h"
#include "conformance/kinds.h"
#include "conformance/loop.h"

namespace fermata::conformance {
namespace {

class Phases {
 public:
  explicit Phases(Play& play) : play_(play), world_(play.world) {}

  Outcome all() {
    Outcome outcome = one(play_.scenario);
    int number = 2;
    for (const Json& phase : member(play_.scenario, "then")) {
      if (!outcome.raised.empty()) {
        world_.say("raised " + outcome.raised + " in " + outcome.raised_in);
      }
      world_.say("phase " + std::to_string(number++));
      delete_files(phase);
      outcome = one(phase);
    }
    return outcome;
  }

 private:
  void delete_files(const Json& phase) {
    for (const Json& pattern : member(phase, "delete_files")) {
      glob_t found{};
      if (::glob(world_.path(pattern).c_str(), 0, nullptr, &found) == 0) {
        for (std::size_t i = 0; i < found.gl_pathc; ++i) {
          std::filesystem::remove(found.gl_pathv[i]);
        }
      }
      ::globfree(&found);
    }
  }

  void take_graph(const Json& phase) {
    const Json& wanted = member(phase, "graph");
    if (graph_ && wanted.is_string()) {
      return;
    }
    const Json& spec = wanted.is_object() ? wanted : member(play_.scenario, "graph");
    graph_ = std::make_shared<WatchedGraph>(engine_graph(spec.is_object() ? spec : Json::object()), world_);
    graphs_.push_back(graph_);
  }

  // Clients of one server see one set of variables, so they share the graph that holds them.
  EngineGraph engine_graph(const Json& spec) {
    const bool has_server = play_.scenario.dump().find("local_server") != std::string::npos;
    if (!has_server || !served_.graph || !equal(spec, served_spec_)) {
      served_ = play_.engine.counter(spec);
      served_spec_ = spec;
    }
    return served_;
  }

  // A session that the scenario left open stays open, as it does in Python, until all was noted.
  void let_go_of_session() {
    if (loop_ && loop_->graph() != nullptr) {
      left_open_.push_back(std::move(loop_));
    }
    loop_.reset();
  }

  Outcome one(const Json& spec) {
    let_go_of_session();
    take_graph(spec);
    Phase phase{world_, *graph_, nullptr, nullptr, nullptr};
    Json session = spec["session"];
    try {
      make_pieces(phase, session, spec);
    } catch (const NotExpressible&) {
      throw;
    } catch (...) {
      return {kind_of(std::current_exception()), "hook constructor"};
    }
    if (spec.value("finalize_graph", false)) {
      graph_->finalize();
    }
    try {
      loop_ = make_loop(phase, session, hooks_);
    } catch (const NotExpressible&) {
      throw;
    } catch (...) {
      return {kind_of(std::current_exception()), "session constructor"};
    }
    return drive(phase, session, spec);
  }

  void make_pieces(Phase& phase, Json& session, const Json& spec) {
    phase.scaffold = make_scaffold(phase, member(session, "scaffold"));
    if (!phase.scaffold && session.value("shared_scaffold", false)) {
      phase.scaffold = std::make_shared<Scaffold>();
    }
    phase.final_ops = final_ops_;
    phase.final_ops_spec = final_ops_spec_;
    if (member(spec, "hooks") != "same") {
      hooks_.clear();
      for (const Json& hook : member(spec, "hooks")) {
        hooks_.push_back(make_hook_of(phase, hook));
      }
      for (const Json& again : member(spec, "repeat_hooks")) {
        hooks_.push_back(hooks_.at(again.get<std::size_t>()));
      }
    }
    final_ops_ = phase.final_ops;
    final_ops_spec_ = phase.final_ops_spec;
  }

  Outcome drive(Phase& phase, const Json& session, const Json& spec) {
    Driver driver(phase, *loop_, play_.threads);
    Outcome outcome;
    if (session.value("with", true)) {
      outcome = block(driver, spec["drive"]);
    } else {
      driver.act_all(spec["drive"], true);
    }
    if (has(spec, "afterwards")) {
      driver.act_all(spec["afterwards"], true);
    }
    return outcome;
  }

  // Python's with-block: the end of the input ends it cleanly, another error is a failure, and leaving it may
  // throw as well.
  Outcome block(Driver& driver, const Json& steps) {
    try {
      driver.act_all(steps, false);
      world_.say("> exit");
    } catch (const NotExpressible&) {
      throw;
    } catch (...) {
      const std::exception_ptr error = std::current_exception();
      if (!is_end_of_input(error)) {
        const std::exception_ptr first = loop_->abort(error);
        return {kind_of(first), first == error ? "block" : "exit"};
      }
    }
    try {
      loop_->close();
    } catch (...) {
      return {kind_of(std::current_exception()), "exit"};
    }
    return {};
  }

  Play& play_;
  World& world_;
  std::vector<std::shared_ptr<WatchedGraph>> graphs_;
  std::shared_ptr<WatchedGraph> graph_;
  EngineGraph served_;
  Json served_spec_;
  std::vector<HookPtr> hooks_;
  std::shared_ptr<FinalOpsHook> final_ops_;
  Json final_ops_spec_;
  std::unique_ptr<Loop> loop_;
  std::vector<std::unique_ptr<Loop>> left_open_;
};

}  // namespace

Outcome play_phases(Play& play) {
  const auto phases = std::make_shared<Phases>(play);
  play.world.keep(phases);
  return phases->all();
}

}  // namespace fermata::conformance
