// The command `fermata checkpoint diff`.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/checkpoint_command.h"
#include "cli/json_value.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/tensor_difference.h"

namespace fermata::cli {
namespace {

using nlohmann::ordered_json;
using Entry = CheckpointReader::Entry;

constexpr int kExitDifferent = 1;

class Comparison {
 public:
  Comparison(const std::string& a, const std::string& b, bool json) : a_(a), b_(b), json_(json) {}

  // Both lists are sorted by name.
  void run() {
    auto a = a_.entries().begin();
    auto b = b_.entries().begin();
    while (a != a_.entries().end() || b != b_.entries().end()) {
      if (b == b_.entries().end() || (a != a_.entries().end() && a->name < b->name)) {
        only(*a++, "first");
      } else if (a == a_.entries().end() || b->name < a->name) {
        only(*b++, "second");
      } else {
        both(*a++, *b++);
      }
    }
    if (!json_) {
      fmt::print("{} tensors are the same, {} differ\n", same_, different_);
    }
  }

  [[nodiscard]] bool different() const noexcept { return different_ > 0; }

 private:
  void only(const Entry& entry, std::string_view where) {
    tell(entry.name, fmt::format("only in the {}: {}", where, kind_text(entry)), {{"only_in", where}});
  }

  void both(const Entry& a, const Entry& b) {
    if (a.dtype != b.dtype || a.shape != b.shape) {
      tell(a.name, fmt::format("{} in the first, {} in the second", kind_text(a), kind_text(b)),
           {{"first", kind_text(a)}, {"second", kind_text(b)}});
      return;
    }
    // Equal checksums of equal sizes: nothing has to be read.
    if (a.crc32c && a.crc32c == b.crc32c && a.size_bytes == b.size_bytes) {
      ++same_;
      return;
    }
    const TensorDifference found = difference(a_.get_tensor(a.name).view(), b_.get_tensor(b.name).view());
    if (found.count == 0) {
      ++same_;
      return;
    }
    ordered_json json = {{"elements", found.size}, {"differ", found.count}};
    if (found.has_distance) {
      json["largest_difference"] = json_number(found.largest);
      json["element"] = found.largest_at;
    }
    tell(a.name, difference_text(found), std::move(json));
  }

  void tell(const std::string& name, const std::string& text, ordered_json json) {
    ++different_;
    if (json_) {
      ordered_json object = {{"name", name}};
      object.update(json);
      fmt::print("{}\n", json_text(object));
    } else {
      fmt::print("{}: {}\n", one_line(name), text);
    }
  }

  CheckpointReader a_;
  CheckpointReader b_;
  bool json_;
  std::int64_t same_ = 0;
  std::int64_t different_ = 0;
};

}  // namespace

int run_checkpoint_diff(const std::vector<std::string>& args) {
  bool json = false;
  const CommandSpec command = {
      "fermata checkpoint diff",
      "Names the tensors that differ between two checkpoints, and by how much. The exit code "
      "is 1 if any does.",
      {{"Options", {json_option(json)}}},
      {checkpoint_operand("FIRST"), checkpoint_operand("SECOND")}};
  const std::optional<CommandLine> line = parse_command_line(command, args);
  if (!line) {
    return 0;
  }
  const LogToScreen messages(std::make_shared<Screen>(false));
  Comparison comparison(find_checkpoint(line->operands[0]), find_checkpoint(line->operands[1]), json);
  comparison.run();
  return comparison.different() ? kExitDifferent : 0;
}

}  // namespace fermata::cli
