// Reads an event file, record by record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "platform/file_system.h"
#include "wire/event_proto.h"
#include "wire/record_framing.h"

namespace fermata {

// One record, or what is wrong with it.
struct EventRecord {
  std::uint64_t offset = 0;
  std::uint64_t length_bytes = 0;
  // Nothing for a damaged one.
  std::optional<wire::Event> event;
  // "PATH: the record at byte 70 …"; empty for a good one.
  std::string damage;
};

// Threads: one at a time.
class EventReader {
 public:
  // Throws: Error (system).
  explicit EventReader(const std::string& path, FileSystem& files = FileSystem::system());
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  // The next record. Damaged ones are answered, each once, and passed; behind a damaged length the next whole
  // record is looked for. Nothing at the end; an incomplete record there is no damage, see torn_tail().
  [[nodiscard]] std::optional<EventRecord> next();

  // After next() has answered nothing: what an interrupted writer has left at the end of the file. A writer
  // that is still at work may leave one for a moment; next() then goes on once it is complete.
  [[nodiscard]] const std::string& torn_tail() const noexcept { return torn_tail_; }

 private:
  [[nodiscard]] std::size_t read_at(std::uint64_t offset, void* to, std::size_t size);
  [[nodiscard]] EventRecord good_or_foreign() const;
  [[nodiscard]] EventRecord damaged(std::string what) const;

  std::string path_;
  std::unique_ptr<ReadableFile> file_;
  // A piece of the file, and where it lies.
  std::string window_;
  std::uint64_t window_offset_ = 0;
  wire::RecordScanner scanner_;
  std::string torn_tail_;
};

}  // namespace fermata
