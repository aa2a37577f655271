#include "conformance/trace_edit.h"

#include <cctype>

namespace fermata::conformance {
namespace {

// The word that starts with `letter` and goes on with digits only.
std::string labelled(const std::string& line, char letter) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool at_start = i == 0 || line[i - 1] == ' ';
    if (!at_start || line[i] != letter) {
      continue;
    }
    std::size_t end = i + 1;
    while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0) {
      ++end;
    }
    if (end > i + 1 && (end == line.size() || line[end] == ' ')) {
      return line.substr(i, end - i);
    }
  }
  return {};
}

}  // namespace

Lines trace_of(const Json& side) { return has(side, "trace") ? side["trace"].get<Lines>() : Lines(); }

void set_trace(Json& side, const Lines& lines) {
  if (lines.empty()) {
    side.erase("trace");
  } else {
    side["trace"] = lines;
  }
}

void keep_lines(Json& side, const std::function<bool(const std::string&)>& keep) {
  Lines kept;
  for (const std::string& line : trace_of(side)) {
    if (keep(line)) {
      kept.push_back(line);
    }
  }
  if (has(side, "trace")) {
    set_trace(side, kept);
  }
}

bool starts_with(const std::string& line, const std::string& start) { return line.rfind(start, 0) == 0; }
bool contains(const std::string& line, const std::string& part) {
  return line.find(part) != std::string::npos;
}

std::string session_in(const std::string& line) { return labelled(line, 'S'); }
std::string coordinator_in(const std::string& line) { return labelled(line, 'K'); }

std::optional<std::int64_t> step_in(const std::string& line) {
  const std::size_t at = line.find(" step=");
  if (at == std::string::npos || std::isdigit(static_cast<unsigned char>(line[at + 6])) == 0) {
    return std::nullopt;
  }
  return std::stoll(line.substr(at + 6));
}

std::string error_in(const std::string& line) {
  const std::size_t at = line.find(" ! ");
  return at == std::string::npos ? std::string() : line.substr(at + 3);
}

Lines recorders(const Json& scenario, std::size_t first) {
  Lines names;
  const Json& hooks = member(scenario, "hooks");
  for (std::size_t i = first; i < hooks.size(); ++i) {
    if (hooks[i]["type"] == "recorder") {
      names.push_back(hooks[i]["name"].get<std::string>());
    }
  }
  return names;
}

std::optional<std::size_t> place_of(const Json& scenario, const std::string& type) {
  const Json& hooks = member(scenario, "hooks");
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    if (hooks[i]["type"] == type) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace fermata::conformance
