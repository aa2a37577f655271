// Records in a file, each with its length and checksums (the TFRecord format):
// length (8 bytes, little-endian), masked crc of these 8, content, masked crc of the content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace fermata::wire {

inline constexpr std::size_t kRecordHeaderBytes = 12;
inline constexpr std::size_t kRecordFooterBytes = 4;

// Appends one record to `out`.
void append_record(std::string& out, std::string_view content);

// Reads records one after the other from a source of bytes. Threads: one at a time.
class RecordScanner {
 public:
  // Fills `to` from `offset`; returns how many bytes, fewer than `size` only at the end.
  using Source = std::function<std::size_t(std::uint64_t offset, void* to, std::size_t size)>;

  enum class Status {
    kRecord,      // `content` holds the next record
    kEnd,         // the file ends after the last record
    kTorn,        // it ends within a record: what a crash leaves
    kBadLength,   // the checksum of a length does not fit: nothing after it can be found by its length
    kBadContent,  // the checksum of a content does not fit; next() goes on behind it
  };

  explicit RecordScanner(Source source, std::uint64_t file_size);

  [[nodiscard]] Status next();

  // The content read last. Valid until the next call.
  [[nodiscard]] std::string_view content() const noexcept { return content_; }
  // Where the record that next() looked at last begins.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  // Where the next one would begin.
  [[nodiscard]] std::uint64_t next_offset() const noexcept { return next_offset_; }

  // Looks for the next place, after a bad length, where a whole good record begins. False if there is none.
  [[nodiscard]] bool skip_to_good_record();
  void skip_to_end() noexcept { next_offset_ = file_size_; }

 private:
  // Reads the header at `offset`: its status, and the length if it is good.
  [[nodiscard]] Status read_length(std::uint64_t offset, std::uint64_t& length) const;

  Source source_;
  std::uint64_t file_size_;
  std::uint64_t offset_ = 0;
  std::uint64_t next_offset_ = 0;
  std::string content_;
};

}  // namespace fermata::wire
