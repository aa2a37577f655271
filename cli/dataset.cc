#include "cli/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "cli/shuffle.h"
#include "fermata/error.h"

namespace fermata::cli {
namespace {

void check_lengths(const std::vector<NpyFile>& files) {
  for (const NpyFile& file : files) {
    if (file.rows() != files.front().rows()) {
      throw Error(
          Code::kInvalidArgument,
          fmt::format("{} has {} rows and {} has {}; rows go in together, so both need the same number",
                      files.front().path(), files.front().rows(), file.path(), file.rows()));
    }
  }
}

void check_batch(const std::vector<NpyFile>& files, const Dataset::Options& options) {
  if (options.batch_size < 1 || options.batch_size > files.front().rows()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("a batch of {} rows does not fit into the {} rows of {}; give a smaller "
                            "--batch-size or more rows",
                            options.batch_size, files.front().rows(), files.front().path()));
  }
  if (options.shuffle_seed && files.front().rows() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("{} has {} rows, more than can be shuffled; leave out --shuffle",
                            files.front().path(), files.front().rows()));
  }
}

}  // namespace

Dataset::Dataset(std::vector<NpyFile> files, Options options) : files_(std::move(files)), options_(options) {
  if (files_.empty()) {
    throw Error(Code::kInvalidArgument, "a data set needs at least one file");
  }
  check_lengths(files_);
  check_batch(files_, options_);
}

bool Dataset::next(std::vector<Tensor>& batch) {
  const std::int64_t left = rows() - position_.row;
  if (left == 0 || (options_.drop_remainder && left < options_.batch_size)) {
    position_ = {position_.epoch + 1, 0};
  }
  if (options_.epochs && position_.epoch >= *options_.epochs) {
    return false;
  }
  const std::int64_t count = std::min(options_.batch_size, rows() - position_.row);
  start_epoch();
  batch.clear();
  for (const NpyFile& file : files_) {
    if (options_.shuffle_seed) {
      const auto first = static_cast<std::size_t>(position_.row);
      batch.push_back(file.rows_at(std::span(order_).subspan(first, static_cast<std::size_t>(count))));
    } else {
      batch.push_back(file.rows_from(position_.row, count));
    }
  }
  position_.row += count;
  return true;
}

void Dataset::will_need_next() const noexcept {
  const std::int64_t first = position_.row < rows() ? position_.row : 0;
  for (const NpyFile& file : files_) {
    file.will_need(first, std::min(options_.batch_size, rows() - first));
  }
}

std::size_t Dataset::batch_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const NpyFile& file : files_) {
    bytes += file.row_bytes() * static_cast<std::size_t>(options_.batch_size);
  }
  return bytes;
}

void Dataset::start_epoch() {
  if (!options_.shuffle_seed || order_epoch_ == position_.epoch) {
    return;
  }
  order_ = shuffled_rows(*options_.shuffle_seed, static_cast<std::uint64_t>(position_.epoch),
                         static_cast<std::uint32_t>(rows()));
  order_epoch_ = position_.epoch;
}

void Dataset::seek(Position position) {
  if (position.epoch < 0 || position.row < 0 || position.row > rows()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("{} has no row {} of epoch {} to go on from; it has {} rows",
                            files_.front().path(), position.row, position.epoch, rows()));
  }
  position_ = position;
}

void Dataset::seek_behind(std::int64_t batches) {
  const std::int64_t per_epoch = batches_in(rows());
  seek({batches / per_epoch, batches % per_epoch * options_.batch_size});
}

std::int64_t Dataset::batches_in(std::int64_t rows) const {
  const std::int64_t whole = rows / options_.batch_size;
  const bool rest = rows % options_.batch_size != 0 && !options_.drop_remainder;
  return whole + (rest ? 1 : 0);
}

std::optional<std::int64_t> Dataset::batches_left() const {
  if (!options_.epochs) {
    return std::nullopt;
  }
  if (position_.epoch >= *options_.epochs) {
    return 0;
  }
  return batches_in(rows() - position_.row) + (*options_.epochs - position_.epoch - 1) * batches_in(rows());
}

}  // namespace fermata::cli
