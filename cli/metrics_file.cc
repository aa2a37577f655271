#include "cli/metrics_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/json_value.h"
#include "cli/system_error.h"

namespace fermata::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kLineStart = "{\"step\":";

[[noreturn]] void fail(const std::string& path) {
  throw system_error(fmt::format("{}: metrics cannot be written", path), errno);
}

// The step of a line, nothing for a line of another kind.
std::optional<Step> step_of(const std::string& line) {
  const ordered_json parsed = ordered_json::parse(line, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("step") || !parsed.contains("values") ||
      !parsed["step"].is_number_integer()) {
    return std::nullopt;
  }
  return parsed["step"].get<Step>();
}

// Reads a line with its end; false at the end of the file.
bool read_line(std::FILE* file, std::string& line) {
  line.clear();
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
    line.push_back(static_cast<char>(c));
    if (c == '\n') {
      return true;
    }
  }
  return !line.empty();
}

// Whether a line without an end is what a crash leaves of a metrics line. Behind whole ones it always is.
bool is_torn(const std::string& line, int number) {
  const std::string_view start = std::string_view(line).substr(0, kLineStart.size());
  return line.back() != '\n' && (number > 1 || kLineStart.starts_with(start));
}

// How many bytes at the front are whole lines of steps up to `last`.
off_t length_to_keep(std::FILE* file, Step last, const std::string& path) {
  off_t kept = 0;
  bool keeping = true;
  std::string line;
  for (int number = 1; read_line(file, line) && !is_torn(line, number); ++number) {
    const std::optional<Step> step = step_of(line);
    if (!step) {
      throw Error(Code::kInvalidArgument,
                  fmt::format("{}: line {} is no metrics line; give --metrics a new file", path, number));
    }
    keeping = keeping && *step <= last;
    kept += keeping ? static_cast<off_t>(line.size()) : 0;
  }
  return kept;
}

}  // namespace

MetricsFile::MetricsFile(std::string path, Step start_step) : path_(std::move(path)) {
  // "a+" makes the file if there is none, and changes nothing of one that is there.
  file_.reset(std::fopen(path_.c_str(), "a+e"));
  if (!file_) {
    fail(path_);
  }
  cut_after(start_step);
}

void MetricsFile::cut_after(Step step) {
  last_step_ = step;
  struct stat status {};
  if (::fstat(::fileno(file_.get()), &status) != 0 || !S_ISREG(status.st_mode)) {
    return;  // A pipe or a terminal: what was written is gone.
  }
  std::rewind(file_.get());
  const off_t kept = length_to_keep(file_.get(), step, path_);
  if (::ftruncate(::fileno(file_.get()), kept) != 0) {
    fail(path_);
  }
  std::fseek(file_.get(), 0, SEEK_END);
}

void MetricsFile::write(const StepValues& values) {
  if (values.step <= last_step_) {
    cut_after(values.step - 1);
  }
  last_step_ = values.step;
  ordered_json line = {{"step", values.step}, {"values", ordered_json::object()}};
  for (const NamedView& view : values.values) {
    line["values"][std::string(view.name)] = json_value(view.value);
  }
  const std::string text = json_text(line) + "\n";
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0) {
    fail(path_);
  }
}

}  // namespace fermata::cli
