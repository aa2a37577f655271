// The commands of `fermata events`.
#pragma once

#include <string>
#include <vector>

namespace fermata::cli {

int run_events_list(const std::vector<std::string>& args);
int run_events_show(const std::vector<std::string>& args);
int run_events_export(const std::vector<std::string>& args);
int run_events_verify(const std::vector<std::string>& args);

}  // namespace fermata::cli
