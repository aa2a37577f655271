#include "cli/npy_writer.h"

#include <fmt/format.h>
#include <isa-l/crc.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "fermata/error.h"

namespace fermata::cli {
namespace {

constexpr std::uint32_t kFull32 = std::numeric_limits<std::uint32_t>::max();

// --- .npy

// NumPy's word for a type whose bytes it takes as they are.
std::optional<std::string> plain_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return "<f4";
    case DType::kDouble:
      return "<f8";
    case DType::kHalf:
      return "<f2";
    case DType::kComplex64:
      return "<c8";
    case DType::kComplex128:
      return "<c16";
    case DType::kBool:
      return "|b1";
    case DType::kInt8:
    case DType::kQInt8:
      return "|i1";
    case DType::kInt16:
    case DType::kQInt16:
      return "<i2";
    case DType::kInt32:
    case DType::kQInt32:
      return "<i4";
    case DType::kInt64:
      return "<i8";
    case DType::kUInt16:
    case DType::kQUInt16:
      return "<u2";
    case DType::kUInt32:
      return "<u4";
    case DType::kUInt64:
      return "<u8";
    default:
      return dtype_size(dtype) == 1 ? std::optional<std::string>("|u1") : std::nullopt;
  }
}

std::string make_header(const std::string& type, std::span<const std::int64_t> shape) {
  std::string sizes;
  for (const std::int64_t size : shape) {
    sizes += fmt::format("{},", size);
  }
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
  // The values begin at a multiple of 64.
  constexpr std::size_t kHeadBytes = 10;
  const std::size_t end = (kHeadBytes + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.append(end - kHeadBytes - dictionary.size() - 1, ' ').push_back('\n');
  std::string header("\x93NUMPY\x01\x00", 8);
  header.push_back(static_cast<char>(dictionary.size() & 0xffU));
  header.push_back(static_cast<char>(dictionary.size() >> 8U));
  return header + dictionary;
}

std::string widened(const TensorView& value) {
  std::string bytes;
  for (const BFloat16 number : value.values<BFloat16>()) {
    bytes.append(2, '\0');
    bytes.push_back(static_cast<char>(number.bits & 0xffU));
    bytes.push_back(static_cast<char>(number.bits >> 8U));
  }
  return bytes;
}

NpyContent text_content(const TensorView& value) {
  std::size_t longest = 1;
  for (std::int64_t i = 0; i < value.size(); ++i) {
    longest = std::max(longest, value.string(i).size());
  }
  NpyContent content{make_header(fmt::format("|S{}", longest), value.shape()), {}, {}};
  for (std::int64_t i = 0; i < value.size(); ++i) {
    const std::string_view text = value.string(i);
    content.converted.append(text).append(longest - text.size(), '\0');
  }
  return content;
}

// --- zip

void append_number(std::string& out, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    out.push_back(static_cast<char>(number >> static_cast<unsigned>(8 * i)));
  }
}

std::uint32_t extend_crc32(std::uint32_t crc, std::string_view bytes) {
  return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

constexpr std::uint64_t kZip64Version = 45;
constexpr std::uint64_t kPlainVersion = 20;
// The first day that the format knows.
constexpr std::uint64_t kDate = 0x21;

// What local and central headers have in common. Sizes are in the extra field, always.
void append_entry(std::string& out, std::uint32_t crc, const std::string& name, std::size_t extra_bytes) {
  append_number(out, kZip64Version, 2);
  append_number(out, 0x0800, 2);  // names are UTF-8
  append_number(out, 0, 2);       // stored
  append_number(out, 0, 2);
  append_number(out, kDate, 2);
  append_number(out, crc, 4);
  append_number(out, kFull32, 4);
  append_number(out, kFull32, 4);
  append_number(out, name.size(), 2);
  append_number(out, extra_bytes, 2);
}

constexpr std::size_t kLocalExtraBytes = 20;
constexpr std::size_t kCentralExtraBytes = 28;

std::string local_header(std::uint32_t crc, std::uint64_t size, const std::string& name) {
  std::string out("PK\x03\x04");
  append_entry(out, crc, name, kLocalExtraBytes);
  out += name;
  append_number(out, 1, 2);
  append_number(out, kLocalExtraBytes - 4, 2);
  append_number(out, size, 8);
  append_number(out, size, 8);
  return out;
}

std::string central_header(std::uint32_t crc, std::uint64_t size, std::uint64_t offset,
                           const std::string& name) {
  std::string out("PK\x01\x02");
  append_number(out, kPlainVersion, 2);
  append_entry(out, crc, name, kCentralExtraBytes);
  append_number(out, 0, 2);        // no comment
  append_number(out, 0, 2);        // the first disk
  append_number(out, 0, 2);        // no attributes
  append_number(out, 0, 4);        // none outside either
  append_number(out, kFull32, 4);  // the offset is in the extra field
  out += name;
  append_number(out, 1, 2);
  append_number(out, kCentralExtraBytes - 4, 2);
  append_number(out, size, 8);
  append_number(out, size, 8);
  append_number(out, offset, 8);
  return out;
}

std::string end_of_archive(std::uint64_t entries, std::uint64_t central_bytes, std::uint64_t central_offset) {
  std::string out("PK\x06\x06");
  append_number(out, 44, 8);
  append_number(out, kZip64Version, 2);
  append_number(out, kZip64Version, 2);
  append_number(out, 0, 8);
  append_number(out, entries, 8);
  append_number(out, entries, 8);
  append_number(out, central_bytes, 8);
  append_number(out, central_offset, 8);
  out += "PK\x06\x07";
  append_number(out, 0, 4);
  append_number(out, central_offset + central_bytes, 8);
  append_number(out, 1, 4);
  out += "PK\x05\x06";
  append_number(out, 0, 4);
  append_number(out, 0xffffffffU, 4);
  append_number(out, kFull32, 4);
  append_number(out, kFull32, 4);
  append_number(out, 0, 2);
  return out;
}

}  // namespace

std::string_view NpyContent::values() const noexcept {
  return plain.has_value() ? std::string_view(static_cast<const char*>(plain.data()), plain.byte_size())
                           : std::string_view(converted);
}

NpyContent npy_content(const TensorView& value) {
  if (value.dtype() == DType::kString) {
    return text_content(value);
  }
  if (value.dtype() == DType::kBFloat16) {
    return {make_header("<f4", value.shape()), widened(value), {}};
  }
  const std::optional<std::string> type = plain_type(value.dtype());
  if (!type) {
    throw Error(Code::kUnimplemented, fmt::format("{} has no form in a .npy file; leave the tensor out",
                                                  dtype_name(value.dtype())));
  }
  return {make_header(*type, value.shape()), {}, value};
}

void NpzWriter::add(const std::string& name, const TensorView& value) {
  const NpyContent content = npy_content(value);
  Entry entry{name + ".npy", extend_crc32(extend_crc32(0, content.header), content.values()),
              content.header.size() + content.values().size(), file_.bytes_written()};
  file_.write(local_header(entry.crc, entry.size, entry.name));
  file_.write(content.header);
  file_.write(content.values());
  entries_.push_back(std::move(entry));
}

void NpzWriter::finish() {
  const std::uint64_t start = file_.bytes_written();
  for (const Entry& entry : entries_) {
    file_.write(central_header(entry.crc, entry.size, entry.offset, entry.name));
  }
  file_.write(end_of_archive(entries_.size(), file_.bytes_written() - start, start));
  file_.finish();
}

}  // namespace fermata::cli
