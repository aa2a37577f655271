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

void manifests(const Scenario& /*scenario*/, std::string_view /*engine*/, Json& expected, Json& /*observed*/) {
  change_files(expected, [](std::vector<std::string>& names) {
    const std::vector<std::string> before = names;
    for (const std::string& name : before) {
      if (ends_with(name, ".index")) {
        names.push_back(name.substr(0, name.size() - 5) + "manifest.json");
      }
    }
  });
}

void no_text_graph(const Scenario& /*scenario*/, std::string_view /*engine*/, Json& expected, Json& /*observed*/) {
  change_files(expected, [](std::vector<std::string>& names) {
    names.erase(std::remove_if(names.begin(), names.end(),
                               [](const std::string& name) { return ends_with(name, "graph.pbtxt"); }),
                names.end());
  });
}

void no_graph_definition(const Scenario& /*scenario*/, std::string_view engine, Json& expected,
                         Json& /*observed*/) {
  if (engine != "native") {
    return;
  }
  change_files(expected, [](std::vector<std::string>& names) {
    names.erase(std::remove_if(names.begin(), names.end(),
                               [](const std::string& name) { return ends_with(name, ".meta"); }),
                names.end());
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

void plain_log_values(const Scenario& /*scenario*/, std::string_view /*engine*/, Json& expected, Json& /*observed*/) {
  if (!has(expected, "log")) {
    return;
  }
  static const std::regex kArray(R"(\[[^\]]*\])");
  for (Json& line : expected["log"]) {
    auto text = line.get<std::string>();
    std::smatch found;
    std::string changed;
    while (std::regex_search(text, found, kArray)) {
      changed += found.prefix().str() + plain_array(found.str());
      text = found.suffix().str();
    }
    changed += text;
    line = std::regex_replace(changed, std::regex("b'([^']*)'"), "$1");
  }
}

}  // namespace fermata::conformance
