#include "core/nearest_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace fermata {
namespace {

// Levenshtein distance with one row of memory.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replace}));
    }
  }
  return row[b.size()];
}

// Smaller is nearer. A name that contains the wanted one (or the other way round) is nearer than its length
// tells.
std::size_t distance(std::string_view wanted, std::string_view name) {
  const std::size_t edits = edit_distance(wanted, name);
  const bool contained =
      name.find(wanted) != std::string_view::npos || wanted.find(name) != std::string_view::npos;
  return contained ? edits / 4 : edits;
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& names,
                                       std::size_t count) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : names) {
    const std::size_t far = distance(wanted, name);
    if (!name.empty() && far <= std::max<std::size_t>(wanted.size() / 2, 3)) {
      ranked.emplace_back(far, name);
    }
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < ranked.size() && i < count; ++i) {
    nearest.push_back(ranked[i].second);
  }
  return nearest;
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : nearest_names(wanted, names)) {
    quoted.push_back("'" + name + "'");
  }
  return quoted.empty() ? std::string() : fmt::format("; did you mean {}?", fmt::join(quoted, " or "));
}

}  // namespace fermata
