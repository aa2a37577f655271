#include "conformance/leftovers.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "conformance/values.h"
#include "fermata/checkpoint_reader.h"
#include "fermata/event_files.h"
#include "fermata/event_writer.h"

namespace fermata::conformance {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> all_files(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    // The mark of an open session in its folder is no file of the scenario.
    if (!entry.is_directory() && entry.path().filename() != ".fermata.lock") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string number_text(double value) {
  const Json shown = number(value);
  return shown.is_string() ? shown.get<std::string>() : shown.dump();
}

std::string summary_line(const LoggedEvent& event, const std::string& step) {
  std::string line = "summary" + step;
  for (const EventValue& value : event.values) {
    line += " " + value.tag + "=" + number_text(value.scalar.value_or(0)) +
            (value.plugin.empty() ? "" : " plugin=" + value.plugin);
  }
  return line;
}

std::string line_of(const LoggedEvent& event, const World& world) {
  const std::string step = " step=" + std::to_string(event.step);
  switch (event.kind) {
    case LoggedEvent::Kind::kVersion:
      return "version " + event.text;
    case LoggedEvent::Kind::kGraph:
      return "graph" + (event.step == 0 ? "" : step);
    case LoggedEvent::Kind::kMetaGraph:
      return "meta_graph" + (event.step == 0 ? "" : step);
    case LoggedEvent::Kind::kSummary:
      return summary_line(event, step);
    case LoggedEvent::Kind::kRunMetadata:
      return "run_metadata tag=" + event.text + step;
    case LoggedEvent::Kind::kSession: {
      const std::string name = event.text == "start"        ? "START"
                               : event.text == "checkpoint" ? "CHECKPOINT"
                                                            : "STOP";
      return "session_log " + name + step +
             (event.checkpoint_path.empty() ? "" : " path=" + world.shown(event.checkpoint_path));
    }
    default:
      return "other";
  }
}

}  // namespace

void flush_events(const std::string& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) {
      shared_event_writer(entry.path().string())->flush();
    }
  }
}

Json files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const fs::path& file : all_files(folder)) {
    fs::path name = fs::relative(file, folder);
    if (name.filename().string().rfind("events.out.tfevents.", 0) == 0) {
      name.replace_filename("events.out.tfevents.*");
    }
    names.push_back(name.string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Json states_in(const World& world) {
  Json states = Json::object();
  for (const fs::path& file : all_files(world.folder())) {
    const std::string name = file.filename().string();
    if (name.rfind("checkpoint", 0) == 0 && name.find('.') == std::string::npos) {
      std::ifstream in(file);
      std::ostringstream text;
      text << in.rdbuf();
      states[fs::relative(file, world.folder()).string()] = world.shown(text.str());
    }
  }
  return states;
}

Json checkpoints_in(const std::string& folder) {
  Json checkpoints = Json::object();
  for (const fs::path& file : all_files(folder)) {
    if (file.extension() != ".index") {
      continue;
    }
    fs::path prefix = file;
    prefix.replace_extension();
    const CheckpointReader reader(prefix.string());
    Json& values = checkpoints[fs::relative(prefix, folder).string()] = Json::object();
    for (const CheckpointReader::Entry& entry : reader.entries()) {
      values[entry.name] = plain(reader.get_tensor(entry.name).view());
    }
  }
  return checkpoints;
}

Json events_in(const World& world) {
  Json found = Json::object();
  std::vector<fs::path> files = all_files(world.folder());
  // Those of one second differ in a number at the end of their names.
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return std::make_tuple(a.parent_path(), a.native().size(), a) <
           std::make_tuple(b.parent_path(), b.native().size(), b);
  });
  for (const fs::path& file : files) {
    if (file.filename().string().rfind("events.out.tfevents.", 0) != 0) {
      continue;
    }
    Json lines = Json::array();
    EventFiles(file.string(), {.apply_restarts = false}).read([&](const LoggedEvent& event) {
      lines.push_back(line_of(event, world));
    });
    const std::string folder = fs::relative(file.parent_path(), world.folder()).string();
    if (!has(found, folder.c_str())) {
      found[folder] = Json::array();
    }
    found[folder].push_back(lines);
  }
  return found;
}

}  // namespace fermata::conformance
