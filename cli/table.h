// Rows in columns, for people.
#pragma once

#include <string>
#include <vector>

namespace fermata::cli {

// Numbers stand at the right of their column.
enum class Align { kLeft, kRight };

// Holds its rows until it is printed. Threads: one at a time.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // Title and rows, two spaces between columns, nothing behind the last word of a line.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// "2026-05-01 12:00:00Z" of seconds since 1970.
[[nodiscard]] std::string utc_text(double unix_seconds);

// One line of text: what would break it is written as \n, \t and the like.
[[nodiscard]] std::string one_line(const std::string& text);

}  // namespace fermata::cli
