// SessionManager by itself.
#include <filesystem>

#include "conformance/kinds.h"
#include "conformance/phase.h"
#include "conformance/watched_session.h"
#include "fermata/session_manager.h"

namespace fermata::conformance {
namespace {

std::chrono::nanoseconds seconds(const Json& value) {
  return std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>(value.get<double>()));
}

class ManagerPlay {
 public:
  explicit ManagerPlay(Play& play)
      : play_(play),
        world_(play.world),
        graph_(play.engine.counter(has(play.scenario, "graph") ? play.scenario["graph"] : Json::object()),
               play.world),
        saver_(make_saver(play.world, graph_, Json::object())) {}

  Outcome all() {
    std::unique_ptr<SessionManager> manager;
    try {
      manager = std::make_unique<SessionManager>(graph_, options(play_.scenario["manager"]));
    } catch (...) {
      return {kind_of(std::current_exception()), "constructor"};
    }
    note_calls(play_, [&](const Json& step) { return act(*manager, step); });
    world_.hidden = true;
    kept_.clear();
    return {};
  }

 private:
  [[nodiscard]] std::vector<Fetch> fetches(const Json& spec) const {
    std::vector<Fetch> made;
    if (spec.is_string()) {
      made.push_back(graph_.fetch(spec.get<std::string>()));
    }
    for (const Json& name : spec.is_array() ? spec : Json::array()) {
      made.push_back(graph_.fetch(name.get<std::string>()));
    }
    return made;
  }

  [[nodiscard]] SessionManager::FeedList feeds(const Json& spec) const {
    SessionManager::FeedList made;
    if (spec.is_object()) {
      for (const auto& [name, value] : spec.items()) {
        made.push_back(graph_.named_feed(name, value));
      }
    }
    return made;
  }

  [[nodiscard]] std::optional<Fetch> piece(const Json& spec) const {
    return spec.is_null() ? std::nullopt : std::optional(graph_.fetch(spec.get<std::string>()));
  }

  [[nodiscard]] SessionManager::Options options(const Json& args) const {
    SessionManager::Options options;
    options.local_init_op = fetches(member(args, "local_init_op"));
    options.local_init_feed_dict = feeds(member(args, "local_init_feed_dict"));
    options.ready_op = piece(member(args, "ready_op"));
    options.ready_for_local_init_op = piece(member(args, "ready_for_local_init_op"));
    options.clock = world_.clock;
    if (has(args, "recovery_wait_secs")) {
      options.recovery_wait = seconds(args["recovery_wait_secs"]);
    }
    return options;
  }

  // What preparing and recovering have in common.
  template <typename Options>
  [[nodiscard]] Options where_from(const Json& args) const {
    Options options;
    options.saver = args.value("without_saver", false) ? nullptr : saver_;
    options.wait_for_checkpoint = args.value("wait_for_checkpoint", false);
    if (has(args, "checkpoint_dir")) {
      options.checkpoint_dir = world_.path(args["checkpoint_dir"]);
    }
    if (has(args, "checkpoint_filename")) {
      options.checkpoint_filename_with_path = world_.path(args["checkpoint_filename"]);
    }
    if (has(args, "max_wait_secs")) {
      options.max_wait = seconds(args["max_wait_secs"]);
    }
    return options;
  }

  WatchedSession& keep(std::unique_ptr<Session> session) {
    kept_.push_back(std::move(session));
    return dynamic_cast<WatchedSession&>(*kept_.back());
  }

  Json prepare(SessionManager& manager, const Json& args) {
    auto options = where_from<SessionManager::PrepareOptions>(args);
    options.init_op = fetches(member(args, "init_op"));
    options.init_feed_dict = feeds(member(args, "init_feed_dict"));
    if (has(args, "init_fn")) {
      options.init_fn = [this, op = args["init_fn"]["run"].get<std::string>()](Session& session) {
        world_.say("init_fn " + label_of(&session));
        static_cast<void>(dynamic_cast<WatchedSession&>(session).unseen().run(SessionRunArgs({op})));
      };
    }
    WatchedSession& session = keep(manager.prepare_session(options).session);
    return {{"session", session.label()}, {"step", session.peek()}};
  }

  Json recover(SessionManager& manager, const Json& args) {
    auto recovered = manager.recover_session(where_from<SessionManager::RecoverOptions>(args));
    const WatchedSession& session = keep(std::move(recovered.created.session));
    return {{"session", session.label()}, {"initialized", recovered.initialized}};
  }

  Json wait(SessionManager& manager, const Json& args) {
    SessionManager::WaitOptions options;
    if (has(args, "max_wait_secs")) {
      options.max_wait = seconds(args["max_wait_secs"]);
    }
    return keep(manager.wait_for_session(options).session).label();
  }

  void make_checkpoint(const Json& step) {
    world_.hidden = true;
    const std::unique_ptr<Session> session = graph_.create_session({});
    static_cast<void>(session->run(SessionRunArgs({"custom/init"})));
    dynamic_cast<WatchedSession&>(*session).set_step(step["step"].get<Step>());
    saver_->save(*session, world_.path(step["dir"]) + "/model.ckpt", step["step"].get<Step>());
    session->close();
    world_.hidden = false;
  }

  Json act(SessionManager& manager, const Json& step) {
    const auto what = step["do"].get<std::string>();
    world_.say("> " + what);
    const Json args = has(step, "args") ? step["args"] : Json::object();
    if (what == "make_checkpoint") {
      make_checkpoint(step);
      return nullptr;
    }
    if (what == "wait_for_session") {
      return wait(manager, args);
    }
    return what == "prepare_session" ? prepare(manager, args) : recover(manager, args);
  }

  Play& play_;
  World& world_;
  WatchedGraph graph_;
  std::shared_ptr<Saver> saver_;
  std::vector<std::unique_ptr<Session>> kept_;
};

}  // namespace

Outcome play_manager(Play& play) { return ManagerPlay(play).all(); }

}  // namespace fermata::conformance
