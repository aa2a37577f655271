// Hooks around a raw session: no creator, no coordinator; what is outside of runs is called by hand.
#include <utility>

#include "conformance/driver.h"
#include "conformance/kinds.h"
#include "conformance/loop.h"
#include "conformance/recorder.h"
#include "conformance/watched_session.h"

namespace fermata::conformance {
namespace {

// Takes part in runs only.
class InRuns : public SessionRunHook {
 public:
  explicit InRuns(HookPtr hook) : hook_(std::move(hook)) {}
  [[nodiscard]] std::string name() const override { return hook_->name(); }
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override {
    return hook_->before_run(context);
  }
  void after_run(SessionRunContext& context, const SessionRunValues& values) override {
    hook_->after_run(context, values);
  }

 private:
  HookPtr hook_;
};

// Gives out the one session.
class Lender : public SessionCreator {
 public:
  explicit Lender(WatchedSession& session) : session_(session) {}
  [[nodiscard]] CreatedSession create_session(const CreationRequest& /*request*/) override {
    CreatedSession created;
    created.session = session_.lend();
    return created;
  }
  [[nodiscard]] Graph& graph() const override { return session_.graph(); }

 private:
  WatchedSession& session_;
};

class HookedLoop : public Loop {
 public:
  HookedLoop(Phase& phase, WatchedSession& session, const std::vector<HookPtr>& hooks)
      : world_(phase.world), creator_(std::make_shared<Lender>(session)) {
    for (const HookPtr& hook : hooks) {
      hooks_.push_back(std::make_shared<InRuns>(hook));
    }
    hooks_.push_back(std::make_shared<WatchHook>(world_, true));
    forget_stop();
  }

  // A new layer of hooks around the same session.
  void forget_stop() {
    const bool hidden = std::exchange(world_.hidden, true);
    session_.reset();
    session_ = std::make_unique<MonitoredSession>(
        creator_->graph(), MonitoredSession::Options{.session_creator = creator_, .hooks = hooks_});
    world_.coordinators.forget();
    world_.hidden = hidden;
  }

  ResultsView run(const SessionRunArgs& args) override { return session_->run(args); }
  bool should_stop() override { return session_->should_stop(); }
  void close() override {}
  std::exception_ptr abort(std::exception_ptr error) override { return error; }
  Json run_step_fn(const std::function<Json(StepContext&)>& step_fn) override {
    return session_->run_step_fn(step_fn);
  }
  [[nodiscard]] Graph* graph() override { return session_->graph(); }
  [[nodiscard]] Session* raw_session() override { return session_->raw_session(); }

 private:
  World& world_;
  std::shared_ptr<Lender> creator_;
  std::vector<HookPtr> hooks_;
  std::unique_ptr<MonitoredSession> session_;
};

class HookedPlay {
 public:
  explicit HookedPlay(Play& play)
      : play_(play),
        world_(play.world),
        graph_(play.engine.counter(has(play.scenario, "graph") ? play.scenario["graph"] : Json::object()),
               play.world),
        phase_{play.world, graph_, std::make_shared<Scaffold>(), nullptr, nullptr} {}

  Outcome all() {
    try {
      for (const Json& hook : play_.scenario["hooks"]) {
        hooks_.push_back(make_hook_of(phase_, hook));
      }
    } catch (const NotExpressible&) {
      throw;
    } catch (...) {
      return {kind_of(std::current_exception()), "hook constructor"};
    }
    try {
      for (const HookPtr& hook : hooks_) {
        hook->begin(graph_);
      }
    } catch (...) {
      return {kind_of(std::current_exception()), "begin"};
    }
    open();
    drive();
    world_.hidden = true;
    return {};
  }

 private:
  void open() {
    phase_.scaffold->finalize(graph_);
    session_ = graph_.create_session({});
    world_.hidden = true;
    static_cast<void>(session_->run(*phase_.scaffold->init_op()));
    static_cast<void>(session_->run(*phase_.scaffold->local_init_op()));
    world_.hidden = false;
  }

  void drive() {
    HookedLoop loop(phase_, dynamic_cast<WatchedSession&>(*session_), hooks_);
    Driver driver(phase_, loop, play_.threads);
    note_calls(play_, [&](const Json& step) {
      const auto what = step["do"].get<std::string>();
      if (what == "forget_stop") {
        loop.forget_stop();
        return Json();
      }
      if (what != "create" && what != "end") {
        return driver.act(step);
      }
      world_.say("> " + what);
      for (const HookPtr& hook : hooks_) {
        what == "create" ? hook->after_create_session(*session_, nullptr) : hook->end(*session_);
      }
      return Json();
    });
    world_.hidden = true;
  }

  Play& play_;
  World& world_;
  WatchedGraph graph_;
  Phase phase_;
  std::vector<HookPtr> hooks_;
  std::unique_ptr<Session> session_;
};

}  // namespace

Outcome play_hooked(Play& play) { return HookedPlay(play).all(); }

}  // namespace fermata::conformance
