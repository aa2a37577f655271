// Rules about what is left on disk and in the log.
#include "conformance/rules.h"

#include <algorithm>
#include <cstdio>
#include <regex>

namespace fermata::conformance {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Changes every list of files: that of the scenario and those among the results.
template <typename Change>
void change_files(Json& side, const Change& change) {
  const auto changed = [&](const Json& files) {
    auto names = files.get<std::vector<std::string>>();
    change(names);
    std::sort(names.begin(), names.end());
    return Json(names);
  };
  if (has(side, "files")) {
    side["files"] = changed(side["files"]);
  }
  for (Json& result : side["results"]) {
    if (has(result, "files")) {
      result["files"] = changed(result["files"]);
    }
  }
}

// Changes the lines of every event file.
template <typename Change>
void change_events(Json& side, const Change& change) {
  if (!has(side, "events")) {
    return;
  }
  for (auto& [folder, files] : side["events"].items()) {
    for (Json& lines : files) {
      lines = change(lines);
    }
  }
}

// "0.0000001" as "1e-07", "1." as "1".
std::string shortest(const std::string& number) {
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, std::stod(number));
    if (std::stod(text) == std::stod(number)) {
      break;
    }
  }
  return text;
}

std::string plain_array(const std::string& array) {
  static const std::regex kNumber(R"([-+]?[0-9][0-9.]*(e[-+]?[0-9]+)?)");
  std::string plain;
  for (std::sregex_iterator each(array.begin(), array.end(), kNumber), end; each != end; ++each) {
    plain += (plain.empty() ? "" : " ") + shortest(each->str());
  }
  return "[" + plain + "]";
}

}  // namespace

void manifests(const Scenario& /*scenario*/, std::string_view /*engine*/, Json& expected,
               Json& /*observed*/) {
  change_files(expected, [](std::vector<std::string>& names) {
    const std::vector<std::string> before = names;
    for (const std::string& name : before) {
      if (ends_with(name, ".index")) {
        names.push_back(name.substr(0, name.size() - 5) + "manifest.json");
      }
    }
  });
}

// A file in which nothing is left but its version is not made.
void drop_empty_event_files(Json& expected) {
  if (!has(expected, "events")) {
    return;
  }
  Json kept = Json::object();
  for (const auto& [folder, files] : expected["events"].items()) {
    for (const Json& lines : files) {
      if (lines.size() > 1) {
        kept[folder].push_back(lines);
        continue;
      }
      change_files(expected, [&folder = folder](std::vector<std::string>& names) {
        const auto found = std::find(names.begin(), names.end(), folder + "/events.out.tfevents.*");
        if (found != names.end()) {
          names.erase(found);
        }
      });
    }
  }
  expected["events"] = kept;
}

// What files of a graph's definition end with: of checkpoints, and of saves that say it otherwise.
std::vector<std::string> definition_endings(const Scenario& scenario) {
  std::vector<std::string> endings = {".meta"};
  for (const Json& step : member(scenario.json, "drive")) {
    if (const Json& args = member(step, "args"); has(args, "meta_graph_suffix")) {
      endings.push_back("." + args["meta_graph_suffix"].get<std::string>());
    }
  }
  return endings;
}

void no_graph_definition(const Scenario& scenario, std::string_view engine, Json& expected,
                         Json& /*observed*/) {
  change_files(expected, [](std::vector<std::string>& names) {
    names.erase(std::remove_if(names.begin(), names.end(),
                               [](const std::string& name) { return ends_with(name, "graph.pbtxt"); }),
                names.end());
  });
  if (engine != "native") {
    return;
  }
  const std::vector<std::string> endings = definition_endings(scenario);
  change_files(expected, [&](std::vector<std::string>& names) {
    const auto is_definition = [&](const std::string& name) {
      return std::any_of(endings.begin(), endings.end(),
                         [&](const std::string& ending) { return ends_with(name, ending); });
    };
    names.erase(std::remove_if(names.begin(), names.end(), is_definition), names.end());
  });
  change_events(expected, [](const Json& lines) {
    Json kept = Json::array();
    for (const Json& line : lines) {
      if (line != "graph" && line != "meta_graph") {
        kept.push_back(line);
      }
    }
    return kept;
  });
  drop_empty_event_files(expected);
}

// Of two marks of one step without a run in between, the second is that of the save that is left out.
void drop_second_checkpoint_marks(Json& expected) {
  if (!has(expected, "events")) {
    return;
  }
  for (auto& [folder, files] : expected["events"].items()) {
    std::string last;
    for (Json& lines : files) {
      Json kept = Json::array();
      for (const Json& line : lines) {
        const auto text = line.get<std::string>();
        const bool is_mark = text.rfind("session_log CHECKPOINT", 0) == 0;
        if (!is_mark || text != last) {
          kept.push_back(line);
        }
        last = is_mark ? text : last;
      }
      lines = kept;
    }
  }
}

void plain_log_values(const Scenario& /*scenario*/, std::string_view /*engine*/, Json& expected,
                      Json& /*observed*/) {
  if (!has(expected, "log")) {
    return;
  }
  static const std::regex kArray(R"(\[[^\]]*\])");
  static const std::regex kText("b'([^']*)'");
  static const std::regex kHandle(R"re(Tensor\("([^"]*)".*?dtype=\w+\))re");
  for (Json& line : expected["log"]) {
    auto text = line.get<std::string>();
    std::smatch found;
    std::string changed;
    while (std::regex_search(text, found, kArray)) {
      changed += found.prefix().str() + plain_array(found.str());
      text = found.suffix().str();
    }
    changed += text;
    changed = std::regex_replace(changed, kText, "$1");
    changed = std::regex_replace(changed, kHandle, "$1");
    line = std::regex_replace(changed, std::regex("= True"), "= true");
  }
}

// After a write that failed each call says so.
void fail_each_call(const Scenario& scenario, Json& expected) {
  const Json& drive = scenario.json["drive"];
  bool broken = false;
  for (std::size_t i = 0; i < drive.size() && i < expected["results"].size(); ++i) {
    const auto what = drive[i]["do"].get<std::string>();
    if (broken && what != "wait_for_worker") {
      expected["results"][i] = {{"error", "RESOURCE_EXHAUSTED"}};
    }
    broken = broken || (what == "break" && has(scenario.json, "writer"));
  }
}

// A writer that is opened anew writes plug-in data anew.
void plugin_data_again(const Scenario& scenario, Json& expected) {
  bool reopened = false;
  for (const Json& step : scenario.json["drive"]) {
    reopened = reopened || step["do"] == "reopen";
    if (!reopened || !has(step, "plugin") || !has(expected, "events")) {
      continue;
    }
    const std::string start =
        "summary step=" + step["step"].dump() + " " + step["tag"].get<std::string>() + "=";
    for (Json& line : expected["events"].front().back()) {
      const auto text = line.get<std::string>();
      if (text.rfind(start, 0) == 0 && text.find(" plugin=") == std::string::npos) {
        line = text + " plugin=" + step["plugin"].get<std::string>();
      }
    }
  }
}

void event_writers(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                   Json& /*observed*/) {
  const bool nothing_written = member(expected, "sessions_created") == 0 || has(scenario.json, "writer");
  if (nothing_written && !has(expected, "events")) {
    change_files(expected, [](std::vector<std::string>& names) {
      std::erase_if(names, [](const std::string& name) {
        return name.find("events.out.tfevents.") != std::string::npos;
      });
    });
  }
  fail_each_call(scenario, expected);
  plugin_data_again(scenario, expected);
}

void made_folders(const Scenario& scenario, std::string_view /*engine*/, Json& expected, Json& /*observed*/) {
  const Json& drive = scenario.json["drive"];
  // Where it cannot be made, the engine is not asked to write.
  if (has(scenario.json, "saver") && has(expected, "trace")) {
    Json& trace = expected["trace"];
    trace.erase(std::remove_if(trace.begin(), trace.end(),
                               [](const Json& line) {
                                 return line.get<std::string>().find(" ! FAILED_PRECONDITION") !=
                                        std::string::npos;
                               }),
                trace.end());
  }
  if (!has(scenario.json, "saver") || drive.size() != 1 || drive[0]["do"] != "save" ||
      drive[0].value("make_dir", true) || !has(expected["results"][0], "error")) {
    return;
  }
  const std::string prefix =
      drive[0]["path"].get<std::string>() + "-" + std::to_string(drive[0]["step"].get<std::int64_t>());
  std::vector<std::string> files = {prefix.substr(0, prefix.rfind('/')) + "/checkpoint",
                                    prefix + ".data-00000-of-00001", prefix + ".index", prefix + ".meta"};
  expected["results"][0] = {{"returned", prefix}, {"files", files}, {"listed", Json::array({prefix})}};
  if (has(expected, "files")) {
    expected["files"] = files;
  }
  Json trace = Json::array();
  for (const Json& line : expected["trace"]) {
    const auto text = line.get<std::string>();
    trace.push_back(text.substr(0, text.find(" ! ")));
  }
  expected["trace"] = trace;
}

}  // namespace fermata::conformance
