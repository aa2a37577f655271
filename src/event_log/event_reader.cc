#include "event_log/event_reader.h"

#include <fmt/format.h>

#include <utility>

namespace fermata {

EventReader::EventReader(const std::string& path, FileSystem& files)
    : path_(path),
      file_(files.open(path)),
      scanner_([file = file_.get()](std::uint64_t offset, void* to,
                                    std::size_t size) { return file->read_at(offset, to, size); },
               file_->size()) {}

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
