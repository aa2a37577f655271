#include "engines/tensorflow_graph/checkpoint_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "engines/tensorflow_graph/variables.h"
#include "fermata/error.h"

namespace fermata::tensorflow {
namespace {

constexpr std::size_t kNamed = 5;

// "2 of the graph's variables (a, b)".
std::string counted(const std::vector<std::string>& items) {
  const std::size_t shown = std::min(items.size(), kNamed);
  const std::vector<std::string> first(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(shown));
  const std::string more = shown < items.size() ? fmt::format(" and {} more", items.size() - shown) : "";
  return fmt::format("{} of the graph's variables ({}{})", items.size(), fmt::join(first, ", "), more);
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

// "w: float32 [2,3] instead of float32 []"; nothing if it fits.
std::optional<std::string> difference(const EngineGraph& graph, const RestoredEntry& entry,
                                      const BundleEntry& found) {
  const std::optional<Shape> shape = wanted_shape(graph, entry);
  if (entry.dtype == found.dtype && (!shape || same_shape(*shape, found.shape))) {
    return std::nullopt;
  }
  return fmt::format("{}: {} {} instead of {}{}", entry_name(graph, entry), dtype_name(found.dtype),
                     shape_text(found.shape), dtype_name(entry.dtype), shape ? " " + shape_text(*shape) : "");
}

// What keeps a checkpoint and a graph apart.
struct Differences {
  std::vector<std::string> missing;
  std::vector<std::string> other;
};

Differences differences(const EngineGraph& graph, std::span<const RestoredEntry> entries,
                        const BundleReader& checkpoint) {
  Differences found;
  for (const RestoredEntry& entry : entries) {
    const BundleEntry* const stored = checkpoint.find(entry.key);
    if (stored != nullptr) {
      if (std::optional<std::string> text = difference(graph, entry, *stored)) {
        found.other.push_back(std::move(*text));
      }
    } else if (std::string name = entry_name(graph, entry); std::ranges::count(found.missing, name) == 0) {
      found.missing.push_back(std::move(name));
    }
  }
  return found;
}

void refuse(const Differences& found, const BundleReader& checkpoint) {
  if (found.missing.empty() && found.other.empty()) {
    return;
  }
  std::string text;
  if (!found.missing.empty()) {
    text = "it lacks " + counted(found.missing);
  }
  if (!found.other.empty()) {
    text += fmt::format("{}it has other types or shapes for {}", text.empty() ? "" : ", and ",
                        counted(found.other));
  }
  throw Error(found.other.empty() ? Code::kNotFound : Code::kInvalidArgument,
              fmt::format("the checkpoint '{}' is of another graph: {}; use a checkpoint of this graph",
                          checkpoint.prefix(), text),
              ErrorSource::kSystem);
}

}  // namespace

void require_types_fit(const EngineGraph& graph, std::span<const RestoredEntry> entries,
                       const BundleReader& checkpoint) {
  Differences found = differences(graph, entries, checkpoint);
  found.missing.clear();
  refuse(found, checkpoint);
}

void require_fit(const EngineGraph& graph, std::span<const RestoredEntry> entries,
                 const BundleReader& checkpoint) {
  refuse(differences(graph, entries, checkpoint), checkpoint);
}

}  // namespace fermata::tensorflow
