// Saver by itself, over the counter graph.
#include <glob.h>

#include <filesystem>

#include "conformance/kinds.h"
#include "conformance/leftovers.h"
#include "conformance/phase.h"
#include "conformance/values.h"
#include "conformance/watched_session.h"

namespace fermata::conformance {
namespace {

namespace fs = std::filesystem;

class SaverPlay {
 public:
  explicit SaverPlay(Play& play)
      : play_(play),
        world_(play.world),
        graph_(play.engine.counter(counter_spec(play.scenario)), play.world) {}

  Outcome all() {
    try {
      saver_ = make_saver(world_, graph_, play_.scenario["saver"]);
    } catch (const NotExpressible&) {
      throw;
    } catch (...) {
      return {kind_of(std::current_exception()), "constructor"};
    }
    session_ = graph_.create_session({});
    world_.hidden = true;
    static_cast<void>(session_->run(SessionRunArgs({"custom/init"})));
    world_.hidden = false;
    note_calls(play_, [this](const Json& step) { return act(step); });
    world_.hidden = true;
    return {};
  }

 private:
  static Json counter_spec(const Json& scenario) {
    const Json& spec = member(scenario, "graph");
    return spec.is_object() ? spec : Json::object();
  }

  [[nodiscard]] std::string path(const Json& step, const char* key = "path") const {
    return step.value("absolute", true) ? world_.path(step[key]) : step[key].get<std::string>();
  }
  [[nodiscard]] std::string shown(const std::string& prefix) const {
    return fs::relative(fs::absolute(prefix), world_.folder()).string();
  }
  [[nodiscard]] WatchedSession& watched() const { return dynamic_cast<WatchedSession&>(*session_); }
  [[nodiscard]] Json listed() const {
    Json names = Json::array();
    for (const std::string& prefix : saver_->last_checkpoints()) {
      names.push_back(shown(prefix));
    }
    return names;
  }

  Json save(const Json& step) {
    const std::string prefix = path(step);
    if (step.value("make_dir", true)) {
      fs::create_directories(fs::absolute(prefix).parent_path());
    }
    const Json& number = member(step, "step");
    watched().set_step(has(step, "value") ? step["value"].get<Step>()
                       : number.is_null() ? 0
                                          : number.get<Step>());
    std::optional<Step> at = number.is_null() ? std::nullopt : std::optional(number.get<Step>());
    if (step.value("step_as", std::string()) == "tensor") {
      at = static_cast<Step>(session_->run(Fetch("peek/step:0")).view().as_double());
    }
    const std::string written = saver_->save(*session_, prefix, at, save_options(member(step, "args")));
    return {{"returned", written.empty() ? Json() : Json(shown(written))},
            {"files", files_in(world_.folder())},
            {"listed", listed()}};
  }

  static SaveOptions save_options(const Json& args) {
    SaveOptions options;
    if (args.is_null()) {
      return options;
    }
    for (const char* unknown : {"strip_default_attrs", "save_debug_info"}) {
      if (args.value(unknown, false)) {
        throw NotExpressible(std::string("a save with ") + unknown);
      }
    }
    if (has(args, "latest_filename")) {
      options.latest_filename = args["latest_filename"].get<std::string>();
    }
    options.meta_graph_suffix = args.value("meta_graph_suffix", options.meta_graph_suffix);
    options.write_meta_graph = args.value("write_meta_graph", true);
    options.write_state = args.value("write_state", true);
    return options;
  }

  Json change(const std::string& what, const Json& step) {
    if (what == "set_step") {
      watched().set_step(step["value"].get<Step>());
    } else if (what == "set_last_checkpoints") {
      saver_->set_last_checkpoints(paths(step));
    } else if (what == "new_saver") {
      saver_ = make_saver(world_, graph_, has(step, "args") ? step["args"] : Json::object());
    } else if (what == "rename") {
      fs::rename(path(step), path(step, "to"));
    } else if (what == "build") {
      saver_->build();
    } else if (what == "advance_clock") {
      world_.advance(step["seconds"].get<double>());
    } else if (what == "delete") {
      remove_files(path(step, "pattern"));
    } else {
      throw NotExpressible("saver steps of the kind " + what);
    }
    return nullptr;
  }

  static void remove_files(const std::string& pattern) {
    glob_t found{};
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i) {
        fs::remove(found.gl_pathv[i]);
      }
    }
    ::globfree(&found);
  }

  Json act(const Json& step) {
    const auto what = step["do"].get<std::string>();
    if (what == "save") {
      return save(step);
    }
    if (what == "restore") {
      saver_->restore(*session_, step["path"].is_null() ? std::string() : path(step));
      return {{"step", watched().peek()}};
    }
    if (what == "exists") {
      return checkpoint_exists(path(step));
    }
    if (what == "recover_last_checkpoints") {
      saver_->recover_last_checkpoints(paths(step));
      return listed();
    }
    if (what == "latest_checkpoint") {
      const auto latest = fermata::latest_checkpoint(
          path(step, "dir"), step.value("latest_filename", std::string("checkpoint")));
      return latest ? Json(shown(*latest)) : Json();
    }
    return change(what, step);
  }

  [[nodiscard]] std::vector<std::string> paths(const Json& step) const {
    std::vector<std::string> prefixes;
    for (const Json& name : step["paths"]) {
      prefixes.push_back(world_.path(name));
    }
    return prefixes;
  }

  Play& play_;
  World& world_;
  WatchedGraph graph_;
  std::shared_ptr<Saver> saver_;
  std::unique_ptr<Session> session_;
};

}  // namespace

Outcome play_saver(Play& play) { return SaverPlay(play).all(); }

}  // namespace fermata::conformance
