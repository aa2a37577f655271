// Rules about what is left on disk and in the log.
#include "conformance/rules.h"

#include <algorithm>
#include <cstdio>
#include <regex>
#include <set>

#include "conformance/trace_edit.h"

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

bool is_event_file(const std::string& name) { return name.find("events.out.tfevents.") != std::string::npos; }

void forget_event_file(Json& side, const std::string& folder) {
  change_files(side, [&](std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), folder + "/events.out.tfevents.*");
    if (found != names.end()) {
      names.erase(found);
    }
  });
}

void forget_event_files(Json& side) {
  change_files(side, [](std::vector<std::string>& names) { std::erase_if(names, is_event_file); });
}

// Files for which `is_empty` answers true are not there.
template <typename IsEmpty>
void drop_event_files(Json& side, const IsEmpty& is_empty) {
  if (!has(side, "events")) {
    return;
  }
  Json kept = Json::object();
  for (const auto& [folder, files] : side["events"].items()) {
    for (const Json& lines : files) {
      if (is_empty(lines)) {
        forget_event_file(side, folder);
      } else {
        kept[folder].push_back(lines);
      }
    }
  }
  side["events"] = kept;
}

// A file in which nothing is left but its version is not made.
void drop_empty_event_files(Json& expected) {
  drop_event_files(expected, [](const Json& lines) { return lines.size() < 2; });
}

// Whether a session of this scenario did not come to its hooks.
bool failed_to_begin(const Json& expected) {
  const Json& place = member(expected, "raised_in");
  const Json& trace = member(expected, "trace");
  return place == "session constructor" || place == "hook constructor" ||
         std::any_of(trace.begin(), trace.end(), [](const Json& line) {
           return line.get<std::string>().find(" constructor") != std::string::npos;
         });
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

// The reference fails over a loss of several elements; here a NaN in any of them counts.
void nan_in_any_element(const Json& scenario, Json& expected) {
  bool of_vector = false;
  for (const Json& hook : member(scenario, "hooks")) {
    const Json& args = member(hook, "args");
    of_vector = of_vector || (hook["type"] == "nan_tensor" && member(args, "loss") == "nan_vec" &&
                              args.value("fail_on_nan_loss", true));
  }
  bool any = false;
  for (Json& result : expected["results"]) {
    if (of_vector && result == Json({{"error", "InvalidArg"}})) {
      result = {{"error", "NanLoss"}};
      any = true;
    }
  }
  if (any && member(expected, "raised") == "InvalidArg") {
    expected["raised"] = "NanLoss";
  }
  if (any && has(expected, "log")) {
    expected["log"].push_back("ERROR nan_loss");
  }
}

void plain_log_values(const Scenario& scenario, std::string_view /*engine*/, Json& expected,
                      Json& /*observed*/) {
  nan_in_any_element(scenario.json, expected);
  if (!has(expected, "log")) {
    return;
  }
  static const std::regex kArray(R"(\[[^\]]*\])");
  static const std::regex kText("b'([^']*)'");
  static const std::regex kHandle(R"re(Tensor\("([^"]*)".*?dtype=\w+\))re");
  for (Json& line : expected["log"]) {
    auto text = line.get<std::string>();
    // What a formatter of the scenario wrote is JSON on both sides.
    if (text.rfind("INFO LOG ", 0) == 0) {
      continue;
    }
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
    if (broken && what != "wait_for_worker" && what != "break") {
      expected["results"][i] = {{"error", "RESOURCE_EXHAUSTED"}};
    }
    broken = broken || (what == "break" && has(scenario.json, "writer"));
  }
}

// A writer that is opened anew writes plug-in data anew.
void plugin_data_again(const Scenario& scenario, Json& expected) {
  bool reopened = false;
  std::set<std::string> seen;
  for (const Json& step : scenario.json["drive"]) {
    if (step["do"] == "reopen") {
      reopened = true;
      seen.clear();
    }
    const bool first = has(step, "tag") && seen.insert(step["tag"].get<std::string>()).second;
    if (!reopened || !first || !has(step, "plugin") || !has(expected, "events")) {
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

// The reference makes a file, with the graph as it is then, when a hook begins; Fermata with the first record
// after a session came to life. Where only the names of files were recorded, it cannot be told whether such
// a file has more in it: on the native engine, whose graphs leave no record, and where no session came to
// life.
void late_event_files(std::string_view engine, Json& expected, Json& observed) {
  if (has(expected, "events")) {
    const auto has_only_the_graph = [](const Json& lines) {
      return std::all_of(lines.begin(), lines.end(), [](const Json& line) {
        return line == "graph" || line == "meta_graph" || line.get<std::string>().rfind("version ", 0) == 0;
      });
    };
    drop_event_files(expected, has_only_the_graph);
    drop_event_files(observed, has_only_the_graph);
  } else if (engine == "native" || failed_to_begin(expected)) {
    forget_event_files(expected);
    forget_event_files(observed);
  }
}

void event_writers(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed) {
  const Json& drive = scenario.json["drive"];
  const bool writes = std::any_of(drive.begin(), drive.end(), [](const Json& step) {
    return has(step, "inside") || step["do"].get<std::string>().rfind("add_", 0) == 0;
  });
  if (has(scenario.json, "writer") && !writes && !has(expected, "events")) {
    forget_event_files(expected);
  }
  if (has(scenario.json, "session")) {
    late_event_files(engine, expected, observed);
  }
  fail_each_call(scenario, expected);
  plugin_data_again(scenario, expected);
}

namespace {

// The prefix that a step of the drive of a saver saves under.
std::string saved_prefix(const Json& step, bool padded) {
  auto prefix = step["path"].get<std::string>();
  if (!member(step, "step").is_null()) {
    std::string digits = std::to_string(step["step"].get<std::int64_t>());
    digits.insert(0, padded && digits.size() < 8 ? 8 - digits.size() : 0, '0');
    prefix += "-" + digits;
  }
  return prefix;
}

// A save into a folder that the reference does not make.
void save_into_made_folder(const Json& saver, const Json& step, Json& expected, Json& result) {
  const std::string prefix = saved_prefix(step, saver.value("pad_step_number", false));
  std::vector<std::string> files = {prefix.substr(0, prefix.rfind('/')) + "/checkpoint",
                                    prefix + ".data-00000-of-00001", prefix + ".index", prefix + ".meta"};
  result = {{"returned", prefix}, {"files", files}, {"listed", Json::array({prefix})}};
  if (has(expected, "files")) {
    expected["files"] = files;
  }
}

// Data that are gone are noticed before the engine is asked to read them.
void look_before_restoring(Json& expected) {
  keep_lines(expected, [](const std::string& line) {
    return !(starts_with(line, "raw ") && contains(line, " restore ") && error_in(line) == "NOT_FOUND");
  });
}

bool lost_data(const Json& scenario) {
  const Json& drive = scenario["drive"];
  return std::any_of(drive.begin(), drive.end(), [](const Json& step) {
    return step["do"] == "delete" && step["pattern"].get<std::string>().find(".data") != std::string::npos;
  });
}

void no_forbidden_folders(const Scenario& scenario, Json& expected) {
  const Json& drive = scenario.json["drive"];
  // Where it cannot be made, the engine is not asked to write.
  keep_lines(expected, [](const std::string& line) { return !contains(line, " ! FAILED_PRECONDITION"); });
  Json& results = expected["results"];
  const bool all_made =
      std::all_of(drive.begin(), drive.end(),
                  [](const Json& step) { return step["do"] == "save" && !step.value("make_dir", true); }) &&
      std::all_of(results.begin(), results.end(), [](const Json& result) { return has(result, "error"); });
  if (!all_made || drive.empty()) {
    return;
  }
  for (std::size_t i = 0; i < drive.size(); ++i) {
    save_into_made_folder(scenario.json["saver"], drive[i], expected, results[i]);
  }
  Lines lines = trace_of(expected);
  for (std::string& line : lines) {
    line = line.substr(0, line.find(" ! "));
  }
  set_trace(expected, lines);
}

// A file of one path and of words that the reference does not know.
Json read_with_unknown_field(const std::string& text, Json& expected) {
  const std::size_t begin = text.find('"') + 1;
  const std::string path = text.substr(begin, text.find('"', begin) - begin);
  if (has(expected, "log")) {
    Json kept = Json::array();
    for (const Json& line : expected["log"]) {
      if (line.get<std::string>().rfind("WARNING state_ignored", 0) != 0) {
        kept.push_back(line);
      }
    }
    expected["log"] = kept;
  }
  return {{"latest", path[0] == '/' ? path : "$DIR/d/" + path},
          {"all", Json::array()},
          {"timestamps", Json::array()},
          {"last_preserved", 0.0}};
}

// Where the state file has no words that are known, it has none for Fermata: it is as if it were not there.
// One with more words than are known is read.
void read_state_files(const Scenario& scenario, Json& expected) {
  std::string text;
  const Json& drive = scenario.json["drive"];
  for (std::size_t i = 0; i < drive.size() && i < expected["results"].size(); ++i) {
    const Json& step = drive[i];
    Json& result = expected["results"][i];
    if (step["do"] == "write_text") {
      text = step["text"].get<std::string>();
    } else if (step["do"] == "write") {
      text.clear();
    }
    const bool has_path = text.find("model_checkpoint_path: \"") == 0;
    if ((step["do"] == "read" || step["do"] == "latest_checkpoint") && !has_path &&
        result == Json({{"error", "InvalidArg"}})) {
      result = nullptr;
    } else if (step["do"] == "read" && has_path && result.is_null()) {
      result = read_with_unknown_field(text, expected);
    }
  }
}

}  // namespace

void made_folders(const Scenario& scenario, std::string_view /*engine*/, Json& expected, Json& /*observed*/) {
  if (has(scenario.json, "saver")) {
    no_forbidden_folders(scenario, expected);
    if (lost_data(scenario.json)) {
      look_before_restoring(expected);
    }
  }
  if (has(scenario.json, "state")) {
    read_state_files(scenario, expected);
  }
}

}  // namespace fermata::conformance
