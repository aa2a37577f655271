// Files bound to the tensors that they feed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/dataset.h"
#include "cli/train_options.h"
#include "fermata/graph.h"

namespace fermata::cli {

// "x" and the file whose rows it takes; not bound to a model yet.
struct NamedFile {
  std::string name;
  NpyFile file;
};

// Opens all files, and checks what can be checked without a model. Throws: Error.
[[nodiscard]] std::vector<NamedFile> open_files(const std::vector<Assignment>& inputs);

// The tensors, their rows, and the values that are fed in every step.
struct BoundInput {
  // Absent without files.
  std::optional<Dataset> data;
  // Fed from the files of `data`, in their order.
  std::vector<Output> tensors;
  std::vector<std::pair<Output, Tensor>> feeds;
};

using FindInput = std::function<Output(const std::string& name)>;

// What becomes of rows that do not fill a batch.
enum class Remainder {
  kFeed,             // they are a smaller batch
  kDrop,             // they are left out
  kDropWhereNeeded,  // they are left out where the graph takes no smaller batch
};

struct InputRequest {
  // What the options are called in messages: "--input", "--feed".
  std::string input_option;
  std::string feed_option;
  std::vector<NamedFile> files;
  std::vector<Assignment> feeds;
  // Absent: the size that the graph wants, else 32 or all rows.
  std::optional<std::int64_t> batch_size;
  std::optional<std::uint64_t> shuffle_seed;
  std::optional<std::int64_t> epochs;
  Remainder remainder = Remainder::kFeed;
};

// Looks up the names and compares dtypes and shapes with the graph. Throws: Error kInvalidArgument for what
// does not fit or is fed twice, kNotFound for an unknown name.
[[nodiscard]] BoundInput bind_input(const InputRequest& request, const Graph& graph, const FindInput& find);

}  // namespace fermata::cli
