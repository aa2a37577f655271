// Scaffold by itself: which pieces it has, and where they come from.
#include <algorithm>
#include <set>

#include "conformance/kinds.h"
#include "conformance/phase.h"
#include "conformance/recorder.h"
#include "conformance/values.h"
#include "conformance/watched_session.h"

namespace fermata::conformance {
namespace {

constexpr const char* kPieces[] = {
    "init_op",       "init_feed_dict",       "init_fn",    "ready_op", "ready_for_local_init_op",
    "local_init_op", "local_init_feed_dict", "summary_op", "saver"};

Json sorted_names(const TensorView& names) {
  std::vector<std::string> listed;
  for (std::int64_t i = 0; i < names.size(); ++i) {
    listed.emplace_back(names.string(i));
  }
  std::sort(listed.begin(), listed.end());
  return listed;
}

class ScaffoldPlay {
 public:
  explicit ScaffoldPlay(Play& play)
      : play_(play),
        world_(play.world),
        graph_(play.engine.counter(has(play.scenario, "graph") ? play.scenario["graph"] : Json::object()),
               play.world),
        phase_{play.world, graph_, nullptr, nullptr, nullptr} {
    for (const std::string& key : graph_.collection_keys()) {
      for (const std::string& name : graph_.collection(key)) {
        collected_.insert(name);
      }
    }
  }

  Outcome all() {
    try {
      make(play_.scenario["scaffold_alone"]);
    } catch (const NotExpressible&) {
      throw;
    } catch (...) {
      return {kind_of(std::current_exception()), "constructor"};
    }
    note_calls(play_, [this](const Json& step) { return act(step); });
    world_.hidden = true;
    return {};
  }

 private:
  void make(const Json& spec) {
    if (!scaffolds_.empty()) {
      before_.push_back(scaffolds_.back());
    }
    scaffolds_.push_back(make_scaffold(phase_, spec));
    given_.clear();
    for (const char* name : kPieces) {
      if (found(*scaffolds_.back(), name)) {
        given_.insert(name);
      }
    }
  }

  static const std::optional<Fetch>& op(const Scaffold& scaffold, const std::string& name) {
    static const std::optional<Fetch> kNone;
    return name == "init_op"                   ? scaffold.init_op()
           : name == "ready_op"                ? scaffold.ready_op()
           : name == "ready_for_local_init_op" ? scaffold.ready_for_local_init_op()
           : name == "local_init_op"           ? scaffold.local_init_op()
           : name == "summary_op"              ? scaffold.summary_op()
                                               : kNone;
  }

  static bool found(const Scaffold& scaffold, const std::string& name) {
    if (name == "init_feed_dict") {
      return !scaffold.init_feed_dict().empty();
    }
    if (name == "local_init_feed_dict") {
      return !scaffold.local_init_feed_dict().empty();
    }
    if (name == "init_fn") {
      return scaffold.has_init_fn();
    }
    return name == "saver" ? scaffold.saver() != nullptr : op(scaffold, name).has_value();
  }

  [[nodiscard]] bool is_shared(const std::string& name) const {
    const Scaffold& newest = *scaffolds_.back();
    return std::any_of(before_.begin(), before_.end(), [&](const std::shared_ptr<Scaffold>& other) {
      if (name == "saver") {
        return other->saver() == newest.saver();
      }
      const std::optional<Fetch>& theirs = op(*other, name);
      return theirs && theirs->name() == op(newest, name)->name();
    });
  }

  [[nodiscard]] std::string piece(const std::string& name) const {
    const Scaffold& newest = *scaffolds_.back();
    if (!found(newest, name)) {
      return "none";
    }
    const std::optional<Fetch>& fetch = op(newest, name);
    if (given_.count(name) != 0) {
      return fetch ? "given " + fetch->name().substr(0, fetch->name().find(':')) : "given";
    }
    if (fetch && collected_.count(fetch->name()) != 0) {
      return "from collection";
    }
    return is_shared(name) ? "shared" : "made";
  }

  Json act(const Json& step) {
    const auto what = step["do"].get<std::string>();
    if (what == "pieces") {
      Json pieces = Json::object();
      for (const char* name : kPieces) {
        pieces[name] = piece(name);
      }
      return pieces;
    }
    if (what == "finalize") {
      scaffolds_.back()->finalize(graph_);
      return "itself";
    }
    if (what == "another_scaffold") {
      make(has(step, "scaffold") ? step["scaffold"] : Json::object());
      return nullptr;
    }
    if (what == "finalized") {
      return graph_.finalized();
    }
    if (what == "add_op") {
      add_an_operation(graph_, "added");
      return nullptr;
    }
    return run_piece(step["piece"].get<std::string>());
  }

  Json run_piece(const std::string& name) {
    if (!session_) {
      session_ = graph_.create_session({});
    }
    const Tensor answer = session_->run(*op(*scaffolds_.back(), name));
    return answer.has_value() ? sorted_names(answer.view()) : Json();
  }

  Play& play_;
  World& world_;
  WatchedGraph graph_;
  Phase phase_;
  std::set<std::string> collected_;
  std::set<std::string> given_;
  std::vector<std::shared_ptr<Scaffold>> scaffolds_;
  std::vector<std::shared_ptr<Scaffold>> before_;
  std::unique_ptr<Session> session_;
};

}  // namespace

Outcome play_scaffold(Play& play) { return ScaffoldPlay(play).all(); }

}  // namespace fermata::conformance
