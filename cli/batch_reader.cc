#include "cli/batch_reader.h"

#include <algorithm>
#include <utility>

namespace fermata::cli {

BatchReader::BatchReader(Dataset dataset, std::size_t least_bytes)
    : dataset_(std::move(dataset)), ahead_(way_of(dataset_, least_bytes)), read_(dataset_) {
  if (ahead_ == Ahead::kThread) {
    thread_ = std::thread([this] { read_wanted(); });
  }
}

BatchReader::~BatchReader() {
  if (!thread_.joinable()) {
    return;
  }
  wait();
  {
    const std::lock_guard lock(mutex_);
    state_ = State::kEnding;
  }
  changed_.notify_all();
  thread_.join();
}

BatchReader::Ahead BatchReader::way_of(const Dataset& dataset, std::size_t least_bytes) {
  if (dataset.batch_bytes() < least_bytes) {
    return Ahead::kNothing;
  }
  const bool copies =
      dataset.options().shuffle_seed || std::any_of(dataset.files().begin(), dataset.files().end(),
                                                    [](const NpyFile& file) { return !file.is_plain(); });
  return copies ? Ahead::kThread : Ahead::kSystem;
}

bool BatchReader::next(std::vector<Tensor>& batch) {
  if (ahead_ != Ahead::kThread) {
    const bool found = dataset_.next(batch);
    if (found && ahead_ == Ahead::kSystem) {
      dataset_.will_need_next();
    }
    return found;
  }
  want();
  wait();
  forget();
  if (failure_) {
    read_.seek(dataset_.position());
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  dataset_.seek(read_.position());
  batch.swap(batch_);
  const bool found = has_batch_;
  if (found) {
    want();
  }
  return found;
}

void BatchReader::seek(Dataset::Position position) {
  dataset_.seek(position);
  wait();
  forget();
  read_.seek(position);
}

void BatchReader::seek_behind(std::int64_t batches) {
  dataset_.seek_behind(batches);
  seek(dataset_.position());
}

// Does nothing if a batch is there or on its way.
void BatchReader::want() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kNone) {
      return;
    }
    state_ = State::kWanted;
  }
  changed_.notify_all();
}

void BatchReader::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return state_ != State::kWanted; });
}

void BatchReader::forget() {
  const std::lock_guard lock(mutex_);
  state_ = State::kNone;
}

void BatchReader::read_wanted() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return state_ == State::kWanted || state_ == State::kEnding; });
    if (state_ == State::kEnding) {
      return;
    }
    lock.unlock();
    try {
      batch_.clear();
      has_batch_ = read_.next(batch_);
      failure_ = nullptr;
    } catch (...) {
      failure_ = std::current_exception();
    }
    lock.lock();
    state_ = State::kThere;
    changed_.notify_all();
  }
}

}  // namespace fermata::cli
