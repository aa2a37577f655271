#include "cli/table.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace fermata::cli {
namespace {

void append_line(std::string& out, const std::vector<std::string>& cells,
                 const std::vector<std::size_t>& widths, const std::vector<Table::Column>& columns) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += i == 0 ? "" : "  ";
    line += columns[i].align == Align::kRight ? fmt::format("{:>{}}", cells[i], widths[i])
                                              : fmt::format("{:<{}}", cells[i], widths[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

}  // namespace

std::string Table::text() const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(column.title.size());
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string out;
  append_line(out, titles, widths, columns_);
  for (const auto& row : rows_) {
    append_line(out, row, widths, columns_);
  }
  return out;
}

std::string utc_text(double unix_seconds) {
  // What is no time that a calendar has.
  constexpr double kLast = 253402300799.0;
  if (!(unix_seconds >= 0 && unix_seconds <= kLast)) {
    return fmt::format("{} s", unix_seconds);
  }
  return fmt::format("{:%Y-%m-%d %H:%M:%S}Z", fmt::gmtime(static_cast<std::time_t>(unix_seconds)));
}

std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\t' || c == '\r') {
      line += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace fermata::cli
