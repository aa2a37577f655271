// The rules of deviation_rules.cc, by what they are about. Each is as Rule::apply.
#pragma once

#include <string_view>

#include "conformance/json.h"
#include "conformance/scenario.h"

namespace fermata::conformance {

// Readings: what both sides are read as.
void raw_runs(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);

// Of the kinds of errors: an unsuitable step is Misuse.
void no_type_errors(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);

// Sessions.
void half_made_sessions(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);
void every_hooks_end(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);
void second_close(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);

// Stopping.
void at_the_target(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);
// A part of crossed_boundaries: of sessions only.
void past_the_target(const Json& scenario, Json& expected);
void crossed_boundaries(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);
void negative_numbers(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);

// Saving and files.
void committed_steps(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);
void manifests(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);
void no_graph_definition(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);
void plain_log_values(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);
void event_writers(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);
void made_folders(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);
// A part of committed_steps.
void drop_second_checkpoint_marks(Json& expected);

// Requests.
void callers_options(const Scenario& scenario, std::string_view engine, Json& expected, Json& observed);

}  // namespace fermata::conformance
