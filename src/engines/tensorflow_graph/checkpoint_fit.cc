#include "engines/tensorflow_graph/checkpoint_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>

#include "engines/tensorflow_graph/variables.h"
#include "fermata/error.h"

namespace fermata::tensorflow {
namespace {

constexpr std::size_t kNamed = 5;

std::string first_few(std::vector<std::string> items) {
  const std::size_t more = items.size() > kNamed ? items.size() - kNamed : 0;
  items.resize(items.size() - more);
  std::string text = fmt::format("{}", fmt::join(items, ", "));
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

// The shape of the whole in "10 4 0,4:0,4".
std::optional<Shape> whole_shape(const std::string& slice) {
  Shape shape;
  const char* at = slice.data();
  const char* const end = at + slice.size();
  while (at != end) {
    std::int64_t size = 0;
    const auto [parsed, error] = std::from_chars(at, end, size);
    if (error != std::errc() || parsed == end || *parsed != ' ') {
      return shape.empty() ? std::nullopt : std::optional(shape);
    }
    shape.push_back(size);
    at = parsed + 1;
  }
  return std::nullopt;
}

std::optional<Shape> wanted_shape(const EngineGraph& graph, const RestoredEntry& entry) {
  if (!entry.slice.empty()) {
    return whole_shape(entry.slice);
  }
  if (entry.variable == nullptr || entry.reshaped) {
    return std::nullopt;
  }
  return variable_spec(graph, entry.variable).shape;
}

bool same_shape(const Shape& wanted, const Shape& found) {
  return std::equal(wanted.begin(), wanted.end(), found.begin(), found.end(),
                    [](std::int64_t want, std::int64_t size) { return want < 0 || want == size; });
}

// "w (float32 [3], the checkpoint has float32 [2,3])"; nothing if it fits.
std::optional<std::string> difference(const EngineGraph& graph, const RestoredEntry& entry,
                                      const BundleEntry& found) {
  const std::optional<Shape> shape = wanted_shape(graph, entry);
  if (entry.dtype == found.dtype && (!shape || same_shape(*shape, found.shape))) {
    return std::nullopt;
  }
  return fmt::format("{} ({}{}, the checkpoint has {} {})", entry.key, dtype_name(entry.dtype),
                     shape ? " " + shape_text(*shape) : "", dtype_name(found.dtype), shape_text(found.shape));
}

}  // namespace

void require_types_fit(const EngineGraph& graph, std::span<const RestoredEntry> entries,
                       const BundleReader& checkpoint) {
  std::vector<std::string> differences;
  for (const RestoredEntry& entry : entries) {
    if (const BundleEntry* const found = checkpoint.find(entry.key)) {
      if (std::optional<std::string> text = difference(graph, entry, *found)) {
        differences.push_back(std::move(*text));
      }
    }
  }
  if (!differences.empty()) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format("the checkpoint '{}' is of another graph: it holds other types or shapes for {} of the "
                    "graph's variables: {}; use a checkpoint of this graph",
                    checkpoint.prefix(), differences.size(), first_few(std::move(differences))));
  }
}

void require_fit(const EngineGraph& graph, std::span<const RestoredEntry> entries,
                 const BundleReader& checkpoint) {
  require_types_fit(graph, entries, checkpoint);
  std::vector<std::string> missing;
  for (const RestoredEntry& entry : entries) {
    if (checkpoint.find(entry.key) == nullptr &&
        std::find(missing.begin(), missing.end(), entry.key) == missing.end()) {
      missing.push_back(entry.key);
    }
  }
  if (!missing.empty()) {
    throw Error(
        Code::kNotFound,
        fmt::format("the checkpoint '{}' is of another graph: it lacks {} of the graph's variables: {}; use "
                    "a checkpoint of this graph",
                    checkpoint.prefix(), missing.size(), first_few(std::move(missing))));
  }
}

}  // namespace fermata::tensorflow
