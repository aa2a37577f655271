#include "wire/record_framing.h"

#include <algorithm>
#include <utility>

#include "wire/crc32c.h"
#include "wire/little_endian.h"

namespace fermata::wire {

void append_record(std::string& out, std::string_view content) {
  const std::size_t start = out.size();
  append_little_endian(out, static_cast<std::uint64_t>(content.size()));
  append_little_endian(out, mask_crc32c(extend_crc32c(0, out.data() + start, sizeof(std::uint64_t))));
  out.append(content);
  append_little_endian(out, mask_crc32c(crc32c(content)));
}

RecordScanner::RecordScanner(Source source, std::uint64_t file_size)
    : source_(std::move(source)), file_size_(file_size) {}

RecordScanner::Status RecordScanner::read_length(std::uint64_t offset, std::uint64_t& length) const {
  char header[kRecordHeaderBytes];
  const std::size_t count = source_(offset, header, sizeof(header));
  if (count < sizeof(header)) {
    return count == 0 ? Status::kEnd : Status::kTorn;
  }
  length = load_little_endian<std::uint64_t>(header);
  const auto stored = load_little_endian<std::uint32_t>(header + sizeof(length));
  if (stored != mask_crc32c(extend_crc32c(0, header, sizeof(length)))) {
    return Status::kBadLength;
  }
  // Said before anything is allocated: a length may be any number.
  const std::uint64_t left = file_size_ - std::min(file_size_, offset + kRecordHeaderBytes);
  return left < kRecordFooterBytes || length > left - kRecordFooterBytes ? Status::kTorn : Status::kRecord;
}

RecordScanner::Status RecordScanner::next() {
  offset_ = next_offset_;
  content_.clear();
  std::uint64_t length = 0;
  const Status status = read_length(offset_, length);
  if (status != Status::kRecord) {
    return status;
  }
  const std::size_t wanted = static_cast<std::size_t>(length) + kRecordFooterBytes;
  content_.resize(wanted);
  if (source_(offset_ + kRecordHeaderBytes, content_.data(), wanted) < wanted) {
    content_.clear();
    return Status::kTorn;
  }
  const auto stored = load_little_endian<std::uint32_t>(content_.data() + length);
  content_.resize(static_cast<std::size_t>(length));
  next_offset_ = offset_ + kRecordHeaderBytes + length + kRecordFooterBytes;
  return stored == mask_crc32c(crc32c(content_)) ? Status::kRecord : Status::kBadContent;
}

bool RecordScanner::skip_to_good_record() {
  for (std::uint64_t offset = next_offset_ + 1; offset + kRecordHeaderBytes <= file_size_; ++offset) {
    std::uint64_t length = 0;
    if (read_length(offset, length) == Status::kRecord) {
      next_offset_ = offset;
      return true;
    }
  }
  return false;
}

}  // namespace fermata::wire
