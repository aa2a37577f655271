#include "cli/npy_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "fermata/error.h"

namespace fermata::cli {

// The whole file in memory, read-only.
class NpyFile::Mapping {
 public:
  explicit Mapping(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
      fail(path, errno);
    }
    struct stat status {};
    const int failure = ::fstat(file, &status) == 0 ? map(file, status) : errno;
    ::close(file);
    if (failure != 0) {
      fail(path, failure);
    }
  }
  ~Mapping() {
    if (size_ > 0) {
      ::munmap(data_, size_);
    }
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] std::span<const char> bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  int map(int file, const struct stat& status) {
    if (S_ISDIR(status.st_mode)) {
      return EISDIR;
    }
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ == 0) {
      return 0;  // Nothing can be mapped; the header says what is missing.
    }
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (data_ == MAP_FAILED) {
      size_ = 0;
      return errno;
    }
    return 0;
  }

  [[noreturn]] static void fail(const std::string& path, int failure) {
    if (failure == ENOENT) {
      throw Error(Code::kNotFound,
                  fmt::format("{}: there is no such file; expected an array in a .npy file", path));
    }
    if (failure == EISDIR) {
      throw Error(Code::kInvalidArgument, fmt::format("{}: expected a .npy file, found a folder", path));
    }
    throw Error(
        Code::kPermissionDenied,
        fmt::format("{}: cannot be read: {}", path, std::strerror(failure)),  // NOLINT(concurrency-mt-unsafe)
        ErrorSource::kSystem);
  }

  void* data_ = nullptr;
  std::size_t size_ = 0;
};

namespace {

// a × b, nothing if it does not fit.
std::optional<std::size_t> product(std::size_t a, std::size_t b) {
  std::size_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional<std::size_t>(result);
}

std::optional<std::size_t> bytes_needed(const NpyHeader& header) {
  std::optional<std::size_t> needed = header.item_bytes;
  for (const std::int64_t size : header.shape) {
    needed = needed ? product(*needed, static_cast<std::size_t>(size)) : std::nullopt;
  }
  return needed;
}

void check_size(const NpyHeader& header, std::size_t file_size, const std::string& path) {
  const std::size_t found = file_size - header.data_offset;
  const std::optional<std::size_t> needed = bytes_needed(header);
  if (needed && *needed == found) {
    return;
  }
  const std::string expected =
      needed ? fmt::format("{} bytes", *needed) : std::string("more bytes than there are");
  throw Error(
      Code::kDataLoss,
      fmt::format(
          "{}: torn: {} {} needs {} after the header, found {}; copy it again or save the array again", path,
          dtype_name(header.dtype), shape_text(header.shape), expected, found));
}

// UTF-8 of one code point; what is none becomes the replacement character.
void append_utf8(std::string& text, std::uint32_t point) {
  if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) {
    point = 0xFFFD;
  }
  const auto add = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    add(point);
  } else if (point < 0x800) {
    add(0xC0 | point >> 6);
    add(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    add(0xE0 | point >> 12);
    add(0x80 | (point >> 6 & 0x3F));
    add(0x80 | (point & 0x3F));
  } else {
    add(0xF0 | point >> 18);
    add(0x80 | (point >> 12 & 0x3F));
    add(0x80 | (point >> 6 & 0x3F));
    add(0x80 | (point & 0x3F));
  }
}

std::string from_unicode(const char* data, std::size_t bytes) {
  std::vector<std::uint32_t> points(bytes / 4);
  std::memcpy(points.data(), data, points.size() * 4);
  // NumPy fills up with zeros.
  while (!points.empty() && points.back() == 0) {
    points.pop_back();
  }
  std::string text;
  for (const std::uint32_t point : points) {
    append_utf8(text, point);
  }
  return text;
}

std::string from_bytes(const char* data, std::size_t bytes) {
  while (bytes > 0 && data[bytes - 1] == '\0') {
    --bytes;
  }
  return {data, bytes};
}

}  // namespace

NpyFile::NpyFile(std::string path)
    : path_(std::move(path)),
      mapping_(std::make_shared<Mapping>(path_)),
      header_(parse_npy_header(mapping_->bytes(), path_)) {
  check_size(header_, mapping_->bytes().size(), path_);
  if (header_.shape.empty()) {
    throw Error(
        Code::kInvalidArgument,
        fmt::format("{}: expected rows, found a single value; an array needs at least one dimension", path_));
  }
  if (rows() == 0) {
    throw Error(Code::kInvalidArgument, fmt::format("{}: the array {} has no rows; at least one is needed",
                                                    path_, shape_text(header_.shape)));
  }
  row_bytes_ = *bytes_needed(header_) / static_cast<std::size_t>(rows());
}

Shape NpyFile::batch_shape(std::int64_t rows) const {
  Shape shape = header_.shape;
  shape.front() = rows;
  return shape;
}

const char* NpyFile::row(std::int64_t number) const {
  return mapping_->bytes().data() + header_.data_offset + static_cast<std::size_t>(number) * row_bytes_;
}

void NpyFile::append_texts(std::int64_t number, std::vector<std::string>& texts) const {
  const std::size_t item = header_.item_bytes;
  const Shape one = batch_shape(1);
  const std::int64_t count = num_elements(one);
  for (std::int64_t i = 0; i < count; ++i) {
    const char* data = row(number) + static_cast<std::size_t>(i) * item;
    texts.push_back(header_.kind == NpyKind::kUnicode ? from_unicode(data, item) : from_bytes(data, item));
  }
}

Tensor NpyFile::plain_rows_from(std::int64_t first, std::int64_t count) const {
  // A header of odd length, which NumPy does not write, puts values where they cannot be used in place.
  const std::size_t alignment = std::min<std::size_t>(header_.item_bytes, 8);
  if (reinterpret_cast<std::uintptr_t>(row(first)) % alignment == 0) {
    return Tensor::adopt(header_.dtype, batch_shape(count), row(first), [keep = mapping_]() {});
  }
  const std::size_t bytes = static_cast<std::size_t>(count) * row_bytes_;
  return Tensor::from_bytes(header_.dtype, batch_shape(count), row(first), bytes);
}

Tensor NpyFile::rows_from(std::int64_t first, std::int64_t count) const {
  if (header_.kind == NpyKind::kPlain) {
    return plain_rows_from(first, count);
  }
  std::vector<std::string> texts;
  for (std::int64_t i = first; i < first + count; ++i) {
    append_texts(i, texts);
  }
  return Tensor::strings(batch_shape(count), std::move(texts));
}

void NpyFile::will_need(std::int64_t first, std::int64_t count) const noexcept {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(row(first)) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(row(first + count));
  // A wish: where it is not granted, the rows are read when they are used.
  static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin,
                              MADV_WILLNEED));  // NOLINT(performance-no-int-to-ptr)
}

Tensor NpyFile::rows_at(std::span<const std::uint32_t> numbers) const {
  const auto count = static_cast<std::int64_t>(numbers.size());
  if (header_.kind == NpyKind::kPlain) {
    return Tensor::build(header_.dtype, batch_shape(count), [&](void* data) {
      auto* to = static_cast<char*>(data);
      for (const std::uint32_t number : numbers) {
        std::memcpy(to, row(number), row_bytes_);
        to += row_bytes_;
      }
    });
  }
  std::vector<std::string> texts;
  for (const std::uint32_t number : numbers) {
    append_texts(number, texts);
  }
  return Tensor::strings(batch_shape(count), std::move(texts));
}

}  // namespace fermata::cli
