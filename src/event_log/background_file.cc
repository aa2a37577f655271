#include "event_log/background_file.h"

#include <utility>

namespace fermata {

BackgroundFile::BackgroundFile(WritableFile& file, Options options)
    : file_(file), options_(options), thread_([this] { run(); }) {}

BackgroundFile::~BackgroundFile() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    work_.notify_one();
  }
  thread_.join();
}

void BackgroundFile::throw_failure() const {
  if (failure_) {
    std::rethrow_exception(failure_);
  }
}

void BackgroundFile::write(std::string_view bytes) {
  std::unique_lock lock(mutex_);
  // One that is larger than the queue goes in alone.
  progress_.wait(
      lock, [&] { return failure_ || held_.empty() || held_.size() + bytes.size() <= options_.queue_bytes; });
  throw_failure();
  const bool was_empty = held_.empty();
  const bool was_enough = held_.size() >= options_.flush_bytes;
  held_.append(bytes);
  added_bytes_ += bytes.size();
  if (was_empty || (!was_enough && held_.size() >= options_.flush_bytes)) {
    work_.notify_one();
  }
}

void BackgroundFile::flush() {
  std::unique_lock lock(mutex_);
  const std::uint64_t wanted = added_bytes_;
  flush_asked_ = true;
  work_.notify_one();
  progress_.wait(lock, [&] { return failure_ || written_bytes_ >= wanted; });
  throw_failure();
}

void BackgroundFile::wait_for_work(std::unique_lock<std::mutex>& lock) {
  work_.wait(lock, [this] { return stopping_ || !held_.empty(); });
  work_.wait_for(lock, options_.flush_interval,
                 [this] { return stopping_ || flush_asked_ || held_.size() >= options_.flush_bytes; });
}

void BackgroundFile::run() {
  std::string writing;
  std::unique_lock lock(mutex_);
  while (!failure_) {
    wait_for_work(lock);
    if (held_.empty()) {
      return;
    }
    writing.clear();
    std::swap(writing, held_);
    flush_asked_ = false;
    lock.unlock();
    std::exception_ptr failure;
    try {
      file_.write(writing);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = std::move(failure);
    written_bytes_ += writing.size();
    progress_.notify_all();
  }
}

}  // namespace fermata
