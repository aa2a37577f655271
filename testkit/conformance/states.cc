// The state file of a folder of checkpoints.
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "conformance/kinds.h"
#include "conformance/values.h"
#include "fermata/saver.h"

namespace fermata::conformance {
namespace {

class StatePlay {
 public:
  explicit StatePlay(World& world) : world_(world) {}

  Json act(const Json& step) {
    const std::string dir = step.value("dir", std::string("d"));
    const std::string folder = step.value("absolute", true) ? world_.path(dir) : dir;
    std::filesystem::create_directories(folder);
    const std::string name = step.value("latest_filename", std::string("checkpoint"));
    const auto what = step["do"].get<std::string>();
    if (what == "write") {
      return write(folder, name, step);
    }
    if (what == "write_text") {
      std::ofstream(folder + "/" + name) << given(step["text"]);
      return nullptr;
    }
    if (what == "touch") {
      std::ofstream(folder + "/" + step["file"].get<std::string>());
      return nullptr;
    }
    if (what == "read") {
      return read(folder, name);
    }
    if (what == "latest_checkpoint") {
      const auto latest = fermata::latest_checkpoint(folder, name);
      return latest ? Json(world_.shown(*latest)) : Json();
    }
    throw NotExpressible("state steps of the kind " + what);
  }

 private:
  Json write(const std::string& folder, const std::string& name, const Json& step) {
    CheckpointState state;
    state.model_checkpoint_path = given(step["latest"]);
    for (const Json& path : member(step, "all")) {
      state.all_model_checkpoint_paths.push_back(given(path));
    }
    for (const Json& time : member(step, "timestamps")) {
      state.all_model_checkpoint_timestamps.push_back(time.get<double>());
    }
    if (!member(step, "last_preserved").is_null()) {
      state.last_preserved_timestamp = step["last_preserved"].get<double>();
    }
    update_checkpoint_state(
        folder, state,
        {.latest_filename = name, .save_relative_paths = step.value("save_relative_paths", false)});
    std::ifstream in(folder + "/" + name);
    std::ostringstream text;
    text << in.rdbuf();
    return world_.shown(text.str());
  }

  // $DIR stands for the folder of the scenario.
  [[nodiscard]] std::string given(const Json& text) const {
    auto filled = text.get<std::string>();
    for (std::size_t at = filled.find("$DIR"); at != std::string::npos; at = filled.find("$DIR", at)) {
      filled.replace(at, 4, world_.folder());
    }
    return filled;
  }

  [[nodiscard]] Json read(const std::string& folder, const std::string& name) const {
    const std::optional<CheckpointState> state = get_checkpoint_state(folder, name);
    if (!state) {
      return nullptr;
    }
    Json all = Json::array();
    for (const std::string& path : state->all_model_checkpoint_paths) {
      all.push_back(world_.shown(path));
    }
    Json times = Json::array();
    for (const double time : state->all_model_checkpoint_timestamps) {
      times.push_back(time);
    }
    return {{"latest", world_.shown(state->model_checkpoint_path)},
            {"all", all},
            {"timestamps", times},
            {"last_preserved", Json(state->last_preserved_timestamp.value_or(0))}};
  }

  World& world_;
};

}  // namespace

Outcome play_state(Play& play) {
  StatePlay state(play.world);
  note_calls(play, [&](const Json& step) { return state.act(step); });
  return {};
}

}  // namespace fermata::conformance
