#include "checkpoint/state_file.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>
#include <variant>
#include <vector>

#include "fermata/error.h"
#include "fermata/log.h"
#include "platform/file_content.h"
#include "platform/paths.h"
#include "wire/text_proto.h"

namespace fermata {
namespace {

constexpr std::string_view kLatest = "model_checkpoint_path";
constexpr std::string_view kAll = "all_model_checkpoint_paths";
constexpr std::string_view kTimes = "all_model_checkpoint_timestamps";
constexpr std::string_view kPreserved = "last_preserved_timestamp";

std::optional<double> number_of(const wire::TextField& field) {
  double value = 0;
  const char* end = field.value.data() + field.value.size();
  const auto parsed = std::from_chars(field.value.data(), end, value);
  return !field.is_string && parsed.ec == std::errc() && parsed.ptr == end ? std::optional(value)
                                                                           : std::nullopt;
}

// False if a known field holds something else than it should.
bool take_field(const wire::TextField& field, CheckpointState& state) {
  const bool is_path = field.name == kLatest || field.name == kAll;
  const bool is_time = field.name == kTimes || field.name == kPreserved;
  const std::optional<double> number = is_time ? number_of(field) : std::nullopt;
  if ((is_path && !field.is_string) || (is_time && !number)) {
    return false;
  }
  if (field.name == kLatest) {
    state.model_checkpoint_path = field.value;
  } else if (field.name == kAll) {
    state.all_model_checkpoint_paths.push_back(field.value);
  } else if (field.name == kTimes) {
    state.all_model_checkpoint_timestamps.push_back(*number);
  } else if (field.name == kPreserved) {
    state.last_preserved_timestamp = number;
  }
  return true;
}

struct Parsed {
  std::optional<CheckpointState> state;
  std::string fault;  // what was found instead
};

Parsed parse_state(std::string_view text) {
  const auto result = wire::parse_text_fields(text);
  if (const auto* error = std::get_if<wire::TextError>(&result)) {
    return {std::nullopt, fmt::format("line {} lacks {}", error->line, error->expected)};
  }
  CheckpointState state;
  for (const wire::TextField& field : std::get<std::vector<wire::TextField>>(result)) {
    if (!take_field(field, state)) {
      return {std::nullopt, fmt::format("{} is {}", field.name, field.value)};
    }
  }
  if (state.model_checkpoint_path.empty()) {
    return {std::nullopt, "it names no checkpoint"};
  }
  return {std::move(state), ""};
}

void join_all(const std::string& dir, CheckpointState& state) {
  state.model_checkpoint_path = join_path(dir, state.model_checkpoint_path);
  for (std::string& path : state.all_model_checkpoint_paths) {
    path = join_path(dir, path);
  }
}

std::string stored_form(const std::string& path, const std::string& dir, bool save_relative_paths) {
  const bool rewrite = is_absolute_path(path) ? save_relative_paths : !is_absolute_path(dir);
  return rewrite ? relative_path(path, dir) : path;
}

std::string text_of(const CheckpointState& state) {
  std::string text;
  wire::append_text_field(text, kLatest, state.model_checkpoint_path);
  for (const std::string& path : state.all_model_checkpoint_paths) {
    wire::append_text_field(text, kAll, path);
  }
  for (const double time : state.all_model_checkpoint_timestamps) {
    wire::append_text_field(text, kTimes, time);
  }
  if (state.last_preserved_timestamp) {
    wire::append_text_field(text, kPreserved, *state.last_preserved_timestamp);
  }
  return text;
}

}  // namespace

std::optional<CheckpointState> read_state_file(FileSystem& files, const std::string& dir,
                                               std::string_view latest_filename) {
  const std::string path = join_path(dir, latest_filename);
  std::string fault;
  try {
    if (!files.info(path)) {
      return std::nullopt;
    }
    Parsed parsed = parse_state(read_whole_file(files, path));
    if (parsed.state) {
      join_all(dir, *parsed.state);
      return std::move(parsed.state);
    }
    fault = fmt::format("{}: the state of a folder of checkpoints was expected, but {}", path, parsed.fault);
  } catch (const Error& error) {
    fault = error.what();
  }
  log(LogLevel::kWarning, fmt::format("{}; the file is ignored", fault));
  return std::nullopt;
}

void write_state_file(FileSystem& files, const std::string& dir, std::string_view latest_filename,
                      CheckpointState state, bool save_relative_paths) {
  std::vector<std::string>& all = state.all_model_checkpoint_paths;
  if (all.empty() || all.back() != state.model_checkpoint_path) {
    all.push_back(state.model_checkpoint_path);
  }
  const std::size_t times = state.all_model_checkpoint_timestamps.size();
  if (times != 0 && times != all.size()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("state file of {}: one timestamp for each of {} checkpoints was "
                            "expected, {} were given",
                            dir, all.size(), times));
  }
  for (std::string& path : all) {
    path = stored_form(path, dir, save_relative_paths);
  }
  state.model_checkpoint_path = all.back();
  replace_file(files, join_path(dir, latest_filename), text_of(state));
}

}  // namespace fermata
