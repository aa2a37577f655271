#include "event_log/event_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fermata {
namespace {

constexpr std::size_t kWindowBytes = std::size_t{1} << 16U;

}  // namespace

EventReader::EventReader(const std::string& path, FileSystem& files)
    : path_(path),
      file_(files.open(path)),
      scanner_([this](std::uint64_t offset, void* to, std::size_t size) { return read_at(offset, to, size); },
               file_->size()) {}

// Records are a few dozen bytes, and behind a damaged one each byte is looked at: a call of the system for
// each of these would take most of the time.
std::size_t EventReader::read_at(std::uint64_t offset, void* to, std::size_t size) {
  if (size > kWindowBytes) {
    return file_->read_at(offset, to, size);
  }
  if (offset < window_offset_ || offset - window_offset_ > window_.size() ||
      size > window_.size() - (offset - window_offset_)) {
    window_.resize(kWindowBytes);
    window_.resize(file_->read_at(offset, window_.data(), kWindowBytes));
    window_offset_ = offset;
  }
  const std::size_t begin = static_cast<std::size_t>(offset - window_offset_);
  const std::size_t count = std::min(size, window_.size() - begin);
  std::copy_n(window_.data() + begin, count, static_cast<char*>(to));
  return count;
}

EventRecord EventReader::damaged(std::string what) const {
  EventRecord record;
  record.offset = scanner_.offset();
  record.length_bytes = scanner_.content().size();
  record.damage = fmt::format("{}: the record at byte {} {}", path_, scanner_.offset(), what);
  return record;
}

EventRecord EventReader::good_or_foreign() const {
  std::optional<wire::Event> event = wire::decode_event(scanner_.content());
  if (!event) {
    return damaged("is no event");
  }
  EventRecord record;
  record.offset = scanner_.offset();
  record.length_bytes = scanner_.content().size();
  record.event = std::move(event);
  return record;
}

std::optional<EventRecord> EventReader::next() {
  using Status = wire::RecordScanner::Status;
  torn_tail_.clear();
  switch (scanner_.next()) {
    case Status::kRecord:
      return good_or_foreign();
    case Status::kBadContent:
      return damaged("does not have the checksum that stands behind it");
    case Status::kBadLength: {
      EventRecord record = damaged("begins with a length that does not have its checksum");
      if (!scanner_.skip_to_good_record()) {
        scanner_.skip_to_end();
      }
      return record;
    }
    case Status::kTorn:
      torn_tail_ = fmt::format("{}: the last record, at byte {}, is not complete", path_, scanner_.offset());
      return std::nullopt;
    case Status::kEnd:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace fermata
