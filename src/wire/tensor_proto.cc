#include "wire/tensor_proto.h"

#include <cstring>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "wire/protobuf_fields.h"

namespace fermata::wire {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;
using Type = protozero::pbf_wire_type;

constexpr std::int32_t kStringType = 7;

// The fields of TensorProto.
constexpr std::uint32_t kDtype = 1;
constexpr std::uint32_t kShape = 2;
constexpr std::uint32_t kContent = 4;
constexpr std::uint32_t kFloats = 5;
constexpr std::uint32_t kDoubles = 6;
constexpr std::uint32_t kInts = 7;
constexpr std::uint32_t kStrings = 8;
constexpr std::uint32_t kInt64s = 10;
constexpr std::uint32_t kBools = 11;
constexpr std::uint32_t kUInt32s = 16;
constexpr std::uint32_t kUInt64s = 17;

template <typename T>
std::optional<double> first_of(std::string_view content) {
  if (content.size() < sizeof(T)) {
    return std::nullopt;
  }
  T value;
  std::memcpy(&value, content.data(), sizeof(T));
  return static_cast<double>(value);
}

// The numbers are those of DataType.
std::optional<double> first_in_content(std::int32_t dtype, std::string_view content) {
  switch (dtype) {
    case 1:
      return first_of<float>(content);
    case 2:
      return first_of<double>(content);
    case 3:
      return first_of<std::int32_t>(content);
    case 4:
      return first_of<std::uint8_t>(content);
    case 5:
      return first_of<std::int16_t>(content);
    case 6:
      return first_of<std::int8_t>(content);
    case 9:
      return first_of<std::int64_t>(content);
    case 10:
      return first_of<std::uint8_t>(content);
    case 17:
      return first_of<std::uint16_t>(content);
    case 22:
      return first_of<std::uint32_t>(content);
    case 23:
      return first_of<std::uint64_t>(content);
    default:
      return std::nullopt;
  }
}

std::optional<double> first_fixed(pbf_reader& field, bool is_double) {
  if (field.has_wire_type(Type::length_delimited)) {
    const std::string_view packed = read_view(field);
    return is_double ? first_of<double>(packed) : first_of<float>(packed);
  }
  if (is_double) {
    require_kind(field, Type::fixed64);
    return field.get_double();
  }
  return static_cast<double>(read_float(field));
}

std::optional<double> first_integer(pbf_reader& field) {
  std::vector<std::int64_t> values;
  read_repeated(field, values);
  return values.empty() ? std::nullopt : std::optional(static_cast<double>(values.front()));
}

void read_shape(pbf_reader shape, std::vector<std::int64_t>& sizes) {
  while (shape.next(2)) {
    pbf_reader dimension = read_message(shape);
    std::int64_t size = 0;
    while (dimension.next(1)) {
      size = read_int(dimension);
    }
    sizes.push_back(size);
  }
}

void keep_first(std::optional<double>& first, std::optional<double> number) {
  first = first ? first : number;
}

void take_field(pbf_reader& field, TensorGlance& seen, std::string_view& content) {
  switch (field.tag()) {
    case kDtype:
      seen.dtype = read_int32(field);
      break;
    case kShape:
      read_shape(read_message(field), seen.shape);
      break;
    case kContent:
      content = read_view(field);
      break;
    case kFloats:
      keep_first(seen.first_number, first_fixed(field, false));
      break;
    case kDoubles:
      keep_first(seen.first_number, first_fixed(field, true));
      break;
    case kInts:
    case kInt64s:
    case kBools:
    case kUInt32s:
    case kUInt64s:
      keep_first(seen.first_number, first_integer(field));
      break;
    case kStrings:
      seen.strings.push_back(read_string(field));
      break;
    default:
      field.skip();
  }
}

void write_head(pbf_writer& tensor, std::int32_t dtype, std::span<const std::int64_t> shape) {
  tensor.add_enum(kDtype, dtype);
  pbf_writer sizes(tensor, kShape);
  for (const std::int64_t size : shape) {
    pbf_writer dimension(sizes, 2);
    dimension.add_int64(1, size);
  }
}

}  // namespace

std::optional<TensorGlance> glance_at_tensor(std::string_view tensor) {
  try {
    TensorGlance seen;
    std::string_view content;
    pbf_reader field = fields_of(tensor);
    while (field.next()) {
      take_field(field, seen, content);
    }
    keep_first(seen.first_number, first_in_content(seen.dtype, content));
    return seen;
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

std::string encode_tensor(std::int32_t dtype, std::span<const std::int64_t> shape, std::string_view content) {
  std::string bytes;
  pbf_writer tensor(bytes);
  write_head(tensor, dtype, shape);
  tensor.add_bytes(kContent, content.data(), content.size());
  return bytes;
}

std::string encode_strings(std::span<const std::int64_t> shape, std::span<const std::string_view> strings) {
  std::string bytes;
  pbf_writer tensor(bytes);
  write_head(tensor, kStringType, shape);
  for (const std::string_view text : strings) {
    tensor.add_bytes(kStrings, text.data(), text.size());
  }
  return bytes;
}

}  // namespace fermata::wire
