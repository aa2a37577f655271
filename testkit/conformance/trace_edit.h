// Edits of recorded traces, for the rules of what is expected instead.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/json.h"

namespace fermata::conformance {

using Lines = std::vector<std::string>;

[[nodiscard]] Lines trace_of(const Json& side);
void set_trace(Json& side, const Lines& lines);
// Keeps the lines for which `keep` answers true.
void keep_lines(Json& side, const std::function<bool(const std::string&)>& keep);

[[nodiscard]] bool starts_with(const std::string& line, const std::string& start);
[[nodiscard]] bool contains(const std::string& line, const std::string& part);

// The session a line speaks of ("S1"), its coordinator ("K1"), its step, the kind of what it threw; empty or
// nothing if it has none.
[[nodiscard]] std::string session_in(const std::string& line);
[[nodiscard]] std::string coordinator_in(const std::string& line);
[[nodiscard]] std::optional<std::int64_t> step_in(const std::string& line);
[[nodiscard]] std::string error_in(const std::string& line);

// Names of the recorders among the hooks of the scenario, in their order, from place `first` on.
[[nodiscard]] Lines recorders(const Json& scenario, std::size_t first = 0);
// The place of the first hook of this type; nothing if there is none.
[[nodiscard]] std::optional<std::size_t> place_of(const Json& scenario, const std::string& type);

}  // namespace fermata::conformance
