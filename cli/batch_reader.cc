#include "cli/batch_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "fermata/error.h"

namespace fermata::cli {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t bytes_of_batch(const Dataset& dataset) {
  return std::accumulate(dataset.files().begin(), dataset.files().end(), std::size_t{0},
                         [&](std::size_t sum, const NpyFile& file) {
                           return sum +
                                  file.row_bytes() * static_cast<std::size_t>(dataset.options().batch_size);
                         });
}

// Rows in file order are not copied but stand in the mapped file: this is what reads them from the disk.
// Texts are copied, and have no size by their dtype.
void touch(const Tensor& tensor) {
  const TensorView view = tensor.view();
  const auto* bytes = static_cast<const volatile char*>(view.data());
  const std::size_t size = static_cast<std::size_t>(num_elements(view.shape())) * dtype_size(view.dtype());
  for (std::size_t i = 0; i < size; i += kPage) {
    static_cast<void>(bytes[i]);
  }
}

}  // namespace

BatchReader::BatchReader(Dataset dataset, std::size_t least_bytes_to_read_ahead)
    : dataset_(std::move(dataset)),
      position_(dataset_.position()),
      reads_ahead_(bytes_of_batch(dataset_) >= least_bytes_to_read_ahead) {}

BatchReader::~BatchReader() = default;

bool BatchReader::next(std::vector<Tensor>& batch, const std::stop_token& stop) {
  if (!reads_ahead_) {
    const bool more = dataset_.next(batch);
    position_ = dataset_.position();
    return more;
  }
  std::unique_lock lock(mutex_);
  if (ahead_ == Ahead::kNothing) {
    read_ = read();
  } else if (!changed_.wait(lock, stop, [this] { return ahead_ == Ahead::kThere; })) {
    throw Interrupted(fmt::format("the wait for the next batch of {} was ended by a request to stop",
                                  dataset_.files().front().path()));
  }
  ahead_ = Ahead::kNothing;
  if (read_.error) {
    std::rethrow_exception(std::exchange(read_.error, nullptr));
  }
  position_ = read_.position_behind;
  batch.swap(read_.batch);
  const bool more = read_.more;
  if (more) {
    ask(lock);  // from here on the thread writes to read_
  }
  return more;
}

BatchReader::Read BatchReader::read() {
  Read result;
  try {
    result.more = dataset_.next(result.batch);
    result.position_behind = dataset_.position();
  } catch (...) {
    result.error = std::current_exception();
  }
  return result;
}

void BatchReader::ask(std::unique_lock<std::mutex>& lock) {
  if (!thread_.joinable()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { read_when_asked(stop); });
  }
  ahead_ = Ahead::kAsked;
  lock.unlock();
  changed_.notify_all();
}

void BatchReader::read_when_asked(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return ahead_ == Ahead::kAsked; })) {
    lock.unlock();
    Read result = read();
    std::for_each(result.batch.begin(), result.batch.end(), touch);
    lock.lock();
    read_ = std::move(result);
    ahead_ = Ahead::kThere;
    changed_.notify_all();
  }
}

void BatchReader::forget_ahead() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ahead_ != Ahead::kAsked; });
  ahead_ = Ahead::kNothing;
  read_ = {};
  dataset_.seek(position_);
}

void BatchReader::seek(Dataset::Position position) {
  forget_ahead();
  dataset_.seek(position);
  position_ = position;
}

void BatchReader::seek_behind(std::int64_t batches) {
  forget_ahead();
  dataset_.seek_behind(batches);
  position_ = dataset_.position();
}

}  // namespace fermata::cli
