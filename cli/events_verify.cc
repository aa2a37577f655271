// The command `fermata events verify`, and the table of all of them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/checkpoint_command.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/events_command.h"
#include "cli/json_value.h"
#include "cli/screen.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "fermata/event_files.h"

namespace fermata::cli {
namespace {

using nlohmann::ordered_json;

constexpr int kExitData = 3;

void print_json(const std::string& path, const EventFileCheck& check) {
  fmt::print(
      "{}\n",
      json_text({{"file", path},
                 {"records", check.records},
                 {"bytes", check.size_bytes},
                 {"damage", check.damage},
                 {"torn_tail", check.torn_tail.empty() ? ordered_json() : ordered_json(check.torn_tail)}}));
}

void print_text(const std::string& path, const EventFileCheck& check) {
  fmt::print("{}: {} records, {}{}\n", path, check.records, size_text(static_cast<double>(check.size_bytes)),
             check.damage.empty() ? "" : fmt::format(", {} damaged", check.damage.size()));
  for (const std::string& damage : check.damage) {
    fmt::print("  {}\n", damage);
  }
  if (!check.torn_tail.empty()) {
    fmt::print("  {}; that is what an interrupted writer leaves\n", check.torn_tail);
  }
}

}  // namespace

int run_events_verify(const std::vector<std::string>& args) {
  bool json = false;
  const CommandSpec command = {"fermata events verify",
                               "Reads event files and checks every record. The exit code is 3 if one is "
                               "damaged; an incomplete record at the "
                               "end of a file is no damage.",
                               {{"Options", {json_option(json)}}},
                               {{"PATH", "an event file, or a folder with those of one run",
                                 "the event file or its folder is missing"}}};
  const std::optional<CommandLine> line = parse_command_line(command, args);
  if (!line) {
    return 0;
  }
  const LogToScreen messages(std::make_shared<Screen>(false));
  int code = 0;
  const EventFiles run(line->operands[0]);
  for (const std::string& path : run.files()) {
    const EventFileCheck check = check_event_file(path);
    code = check.damage.empty() ? code : kExitData;
    if (json) {
      print_json(path, check);
    } else {
      print_text(path, check);
    }
  }
  return code;
}

int run_events(const std::vector<std::string>& args) {
  static const std::vector<Command> verbs = {
      {"list", "the tags of a run: kind, count, steps, range of values", run_events_list},
      {"show", "values and marks of a run, in order", run_events_show},
      {"export", "scalars as CSV, or all values as lines of JSON", run_events_export},
      {"verify", "whether event files are whole", run_events_verify},
  };
  return run_verb("fermata events", "Looks into TensorBoard's event files. Needs no TensorFlow.", verbs,
                  args);
}

}  // namespace fermata::cli
