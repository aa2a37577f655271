// Batches of a data set, read while a step runs.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "cli/dataset.h"

namespace fermata::cli {

// Gives the very batches of the data set, in its order. Where rows have to be copied together (shuffled ones,
// texts), a thread copies the next batch ahead; where they are used in place, the system is told to bring
// them from the disk. Small batches are read when they are asked for: to wake a thread would cost more.
// Threads: one at a time.
class BatchReader {
 public:
  // From this size on a batch is read ahead.
  static constexpr std::size_t kLeastBytes = 256 * 1024;

  explicit BatchReader(Dataset dataset, std::size_t least_bytes = kLeastBytes);
  ~BatchReader();
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;

  // As Dataset::next. Throws: what reading the batch threw.
  [[nodiscard]] bool next(std::vector<Tensor>& batch);

  // The data set behind the batch that was given last, whatever was read ahead.
  [[nodiscard]] const Dataset& dataset() const noexcept { return dataset_; }
  // As those of Dataset.
  void seek(Dataset::Position position);
  void seek_behind(std::int64_t batches);

 private:
  enum class Ahead { kNothing, kThread, kSystem };
  // Of the batch that is read ahead.
  enum class State { kNone, kWanted, kThere, kEnding };

  static Ahead way_of(const Dataset& dataset, std::size_t least_bytes);
  void want();
  void wait();
  void forget();
  void read_wanted();

  Dataset dataset_;
  const Ahead ahead_;
  // The thread's while a batch is wanted, else the caller's.
  Dataset read_;
  std::vector<Tensor> batch_;
  bool has_batch_ = false;
  std::exception_ptr failure_;

  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kNone;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace fermata::cli
