// Reads the batches of a data set, the next one while the step works on this one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "cli/dataset.h"
#include "fermata/tensor.h"

namespace fermata::cli {

// The same batches in the same order as the data set gives them. A thread of its own reads one batch ahead
// where that pays: handing over to it costs some microseconds, which is more than copying a small batch
// takes. Threads: one at a time.
class BatchReader {
 public:
  // Batches of fewer bytes are read when they are asked for.
  static constexpr std::size_t kLeastBytesToReadAhead = 128 * 1024;

  explicit BatchReader(Dataset dataset, std::size_t least_bytes_to_read_ahead = kLeastBytesToReadAhead);
  // Waits for a read under way.
  ~BatchReader();
  BatchReader(BatchReader&&) = delete;

  // The next batch, a tensor for each file; false after the last epoch. Throws: Interrupted if `stop` is
  // requested while it waits; what reading throws.
  [[nodiscard]] bool next(std::vector<Tensor>& batch, const std::stop_token& stop = {});

  // Where the batch that `next` gives begins, and places for it: see Dataset. What was read ahead is
  // forgotten.
  [[nodiscard]] const Dataset::Position& position() const noexcept { return position_; }
  void seek(Dataset::Position position);
  void seek_behind(std::int64_t batches);

  [[nodiscard]] std::int64_t rows() const noexcept { return dataset_.rows(); }
  [[nodiscard]] const Dataset::Options& options() const noexcept { return dataset_.options(); }
  [[nodiscard]] std::optional<std::int64_t> batches_left() const {
    return dataset_.batches_behind(position_);
  }

 private:
  struct Read {
    bool more = false;
    std::vector<Tensor> batch;
    Dataset::Position position_behind;
    std::exception_ptr error;
  };
  enum class Ahead { kNothing, kAsked, kThere };

  [[nodiscard]] Read read();
  void ask(std::unique_lock<std::mutex>& lock);
  void read_when_asked(const std::stop_token& stop);
  // Takes the data set back from the thread, so that it stands where the next batch begins.
  void forget_ahead();

  // Used by the thread while ahead_ is kAsked, else by the caller.
  Dataset dataset_;
  Dataset::Position position_;
  bool reads_ahead_ = false;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  Ahead ahead_ = Ahead::kNothing;
  Read read_;
  // Last, so that it ends before what it uses.
  std::jthread thread_;
};

}  // namespace fermata::cli
