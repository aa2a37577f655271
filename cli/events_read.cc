// The commands `fermata events list`, `show` and `export`.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/checkpoint_command.h"
#include "cli/command_line.h"
#include "cli/event_ranges.h"
#include "cli/events_command.h"
#include "cli/json_value.h"
#include "cli/output_file.h"
#include "cli/screen.h"
#include "cli/setters.h"
#include "cli/table.h"
#include "cli/text.h"
#include "fermata/error.h"
#include "fermata/event_files.h"

namespace fermata::cli {
namespace {

using nlohmann::ordered_json;

enum class Format { kCsv, kJsonLines };

struct ReadOptions {
  bool json = false;
  bool skip_damaged = false;
  bool all_records = false;
  std::vector<std::string> tags;
  Format format = Format::kCsv;
  std::string output = "/dev/stdout";
};

OptionSpec skip_option(ReadOptions& o) {
  return {"--skip-damaged", "", "go on behind a damaged record instead of stopping there",
          set_true(o.skip_damaged)};
}

OptionSpec all_option(ReadOptions& o) {
  return {"--keep-replaced", "", "also what a run that started again at an earlier step has replaced",
          set_true(o.all_records)};
}

OptionSpec tag_option(ReadOptions& o) {
  return {"--tag", "NAME", "only this tag; may be given several times (default: all)",
          [&o](const std::string&, const std::string& value) { o.tags.push_back(value); }, true};
}

std::vector<OperandSpec> events_operand() {
  return {{"PATH", "an event file, or a folder with those of one run",
           "the event file or its folder is missing"}};
}

bool is_wanted(const ReadOptions& options, const std::string& tag) {
  return options.tags.empty() ||
         std::find(options.tags.begin(), options.tags.end(), tag) != options.tags.end();
}

void read(const std::string& path, const ReadOptions& options, const EventFiles::Visitor& visit) {
  const EventFiles files(path,
                         {.skip_damaged = options.skip_damaged, .apply_restarts = !options.all_records});
  try {
    files.read(visit);
  } catch (const Error& error) {
    if (error.code() == Code::kDataLoss && !options.skip_damaged) {
      throw Error(error.code(), std::string(error.what()) + " (--skip-damaged)", error.source());
    }
    throw;
  }
}

std::string number_text(const std::optional<double>& number) { return number ? short_number(*number) : "-"; }

ordered_json number_json(const std::optional<double>& number) {
  return number ? json_number(*number) : ordered_json();
}

// What a value is, in a word or two.
std::string value_text(const EventValue& value) {
  if (value.scalar) {
    return short_number(*value.scalar);
  }
  return value.text.empty() ? size_text(static_cast<double>(value.size_bytes)) : one_line(value.text);
}

ordered_json value_json(const LoggedEvent& event, const EventValue& value) {
  ordered_json json = {{"step", event.step},
                       {"time", event.wall_seconds},
                       {"tag", value.tag},
                       {"kind", event_value_kind_name(value.kind)}};
  if (value.kind == EventValue::Kind::kScalar) {
    json["value"] = number_json(value.scalar);
  } else if (!value.text.empty()) {
    json["text"] = value.text;
  }
  json["bytes"] = value.size_bytes;
  return json;
}

void show_line(const LoggedEvent& event, std::string_view kind, const std::string& what) {
  fmt::print("{:>10}  {}  {}\n", event.step, utc_text(event.wall_seconds),
             what.empty() ? std::string(kind) : fmt::format("{:<10} {}", kind, what));
}

void show_text(const LoggedEvent& event, const ReadOptions& options) {
  for (const EventValue& value : event.values) {
    if (is_wanted(options, value.tag)) {
      show_line(event, event_value_kind_name(value.kind), one_line(value.tag) + "  " + value_text(value));
    }
  }
  if (event.kind == LoggedEvent::Kind::kSession && options.tags.empty()) {
    show_line(event, event.text, event.checkpoint_path);
  }
}

void show_json(const LoggedEvent& event, const ReadOptions& options) {
  for (const EventValue& value : event.values) {
    if (is_wanted(options, value.tag)) {
      fmt::print("{}\n", json_text(value_json(event, value)));
    }
  }
  if (event.kind == LoggedEvent::Kind::kSession && options.tags.empty()) {
    fmt::print("{}\n", json_text({{"step", event.step},
                                  {"time", event.wall_seconds},
                                  {"session", event.text},
                                  {"checkpoint", event.checkpoint_path}}));
  }
}

// A field of CSV: quoted where it has to be.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

void export_event(OutputFile& file, const LoggedEvent& event, const ReadOptions& options) {
  for (const EventValue& value : event.values) {
    if (!is_wanted(options, value.tag)) {
      continue;
    }
    if (options.format == Format::kJsonLines) {
      file.write(json_text(value_json(event, value)) + "\n");
    } else if (value.scalar) {
      // Values are stored as floats; these digits read back to the same one.
      file.write(fmt::format("{},{},{},{}\n", event.step, event.wall_seconds, csv_field(value.tag),
                             static_cast<float>(*value.scalar)));
    }
  }
}

}  // namespace

int run_events_list(const std::vector<std::string>& args) {
  ReadOptions options;
  const CommandSpec command = {
      "fermata events list",
      "Lists the tags of a run: what they are, how often, at which steps, between which "
      "values.",
      {{"Options", {json_option(options.json), skip_option(options), all_option(options)}}},
      events_operand()};
  const std::optional<CommandLine> line = parse_command_line(command, args);
  if (!line) {
    return 0;
  }
  const LogToScreen messages(std::make_shared<Screen>(false));
  EventRanges ranges;
  read(line->operands[0], options, [&](const LoggedEvent& event) { ranges.add(event); });
  Table table({{"tag"},
               {"kind"},
               {"count", Align::kRight},
               {"steps"},
               {"min", Align::kRight},
               {"max", Align::kRight},
               {"last", Align::kRight}});
  for (const auto& [tag, range] : ranges.all()) {
    const std::string kind(event_value_kind_name(range.kind));
    if (options.json) {
      fmt::print("{}\n", json_text({{"tag", tag},
                                    {"kind", kind},
                                    {"count", range.count},
                                    {"first_step", range.first_step},
                                    {"last_step", range.last_step},
                                    {"min", number_json(range.min)},
                                    {"max", number_json(range.max)},
                                    {"last", number_json(range.last)}}));
    }
    table.add({one_line(tag), kind, fmt::format("{}", range.count),
               fmt::format("{} to {}", range.first_step, range.last_step), number_text(range.min),
               number_text(range.max), number_text(range.last)});
  }
  if (!options.json) {
    fmt::print("{}", table.text());
  }
  return 0;
}

int run_events_show(const std::vector<std::string>& args) {
  ReadOptions options;
  const CommandSpec command = {
      "fermata events show",
      "Shows values, restarts and checkpoints of a run in their order.",
      {{"Options",
        {json_option(options.json), tag_option(options), skip_option(options), all_option(options)}}},
      events_operand()};
  const std::optional<CommandLine> line = parse_command_line(command, args);
  if (!line) {
    return 0;
  }
  const LogToScreen messages(std::make_shared<Screen>(false));
  read(line->operands[0], options, [&](const LoggedEvent& event) {
    options.json ? show_json(event, options) : show_text(event, options);
  });
  return 0;
}

int run_events_export(const std::vector<std::string>& args) {
  ReadOptions options;
  const CommandSpec command = {
      "fermata events export",
      "Writes the values of a run: scalars as step,time,tag,value, or all kinds as lines of JSON.",
      {{"Options",
        {{"--json", "", "the same as --format jsonl",
          [&](const std::string&, const std::string&) { options.format = Format::kJsonLines; }},
         {"--format", "csv|jsonl", "the form (default: csv)",
          set_choice(options.format, {{"csv", Format::kCsv}, {"jsonl", Format::kJsonLines}})},
         {"--output", "FILE", "write to this file (default: to stdout)", set_text(options.output)},
         tag_option(options),
         skip_option(options),
         all_option(options)}}},
      events_operand()};
  const std::optional<CommandLine> line = parse_command_line(command, args);
  if (!line) {
    return 0;
  }
  const LogToScreen messages(std::make_shared<Screen>(false));
  OutputFile file(options.output);
  if (options.format == Format::kCsv) {
    file.write("step,wall_time,tag,value\n");
  }
  read(line->operands[0], options, [&](const LoggedEvent& event) { export_event(file, event, options); });
  file.finish();
  return 0;
}

}  // namespace fermata::cli
