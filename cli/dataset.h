// Rows of several files, in batches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/npy_file.h"
#include "fermata/tensor.h"

namespace fermata::cli {

// Row i of all files goes in together. Each epoch uses every row once and begins with a new batch, so its
// last batch may be smaller. Threads: one at a time.
class Dataset {
 public:
  struct Options {
    std::int64_t batch_size = 1;
    // A new order in each epoch (shuffle.h). Absent: the order of the files.
    std::optional<std::uint64_t> shuffle_seed;
    // Absent: they repeat for ever.
    std::optional<std::int64_t> epochs;
    // Leaves out the smaller batch at the end of an epoch.
    bool drop_remainder = false;
  };

  // Where the next batch begins: the epoch, counted from 0, and how many of its rows were used.
  struct Position {
    std::int64_t epoch = 0;
    std::int64_t row = 0;
    friend bool operator==(const Position&, const Position&) = default;
  };

  // Throws: Error kInvalidArgument for files of different lengths, or a batch that is larger than the data.
  Dataset(std::vector<NpyFile> files, Options options);

  // The next batch, a tensor for each file; false after the last epoch.
  [[nodiscard]] bool next(std::vector<Tensor>& batch);

  // Lets the system read the rows of the next batch from the disk meanwhile. Requires: rows in file order.
  void will_need_next() const noexcept;

  [[nodiscard]] const Position& position() const noexcept { return position_; }
  // Throws: Error kInvalidArgument for a place that is not there.
  void seek(Position position);
  // To where the next batch begins after this many batches from the first row of the first epoch.
  void seek_behind(std::int64_t batches);

  [[nodiscard]] std::int64_t rows() const noexcept { return files_.front().rows(); }
  // Of a whole batch, as it is in the files.
  [[nodiscard]] std::size_t batch_bytes() const noexcept;
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] const std::vector<NpyFile>& files() const noexcept { return files_; }
  // Batches from the position to the end of the last epoch; nothing if they repeat.
  [[nodiscard]] std::optional<std::int64_t> batches_left() const;

 private:
  [[nodiscard]] std::int64_t batches_in(std::int64_t rows) const;
  void start_epoch();

  std::vector<NpyFile> files_;
  Options options_;
  Position position_;
  // The order of the epoch it was made for.
  std::vector<std::uint32_t> order_;
  std::optional<std::int64_t> order_epoch_;
};

}  // namespace fermata::cli
