#include "wire/attr_value.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "wire/protobuf_fields.h"

namespace fermata::wire {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;

// The fields of AttrValue.
constexpr std::uint32_t kList = 1;
constexpr std::uint32_t kString = 2;
constexpr std::uint32_t kInt = 3;
constexpr std::uint32_t kBool = 5;
constexpr std::uint32_t kType = 6;
constexpr std::uint32_t kShape = 7;
constexpr std::uint32_t kTensor = 8;
constexpr std::uint32_t kFunction = 10;
// The fields of TensorProto.
constexpr std::uint32_t kTensorType = 1;
constexpr std::uint32_t kTensorShape = 2;
constexpr std::uint32_t kTensorInts = 7;
constexpr std::uint32_t kTensorStrings = 8;
constexpr std::uint32_t kTensorLongs = 10;
// DataTypes.
constexpr std::int32_t kInt32Type = 3;
constexpr std::int32_t kStringType = 7;
constexpr std::int32_t kInt64Type = 9;

template <typename Write>
std::string attr(Write write) {
  std::string bytes;
  pbf_writer writer(bytes);
  write(writer);
  return bytes;
}

void write_sizes(pbf_writer& shape, std::span<const std::int64_t> sizes) {
  for (const std::int64_t size : sizes) {
    pbf_writer dimension(shape, 2);
    dimension.add_int64(1, size);
  }
}

// A tensor of rank 0, or of rank 1 with `*size` elements; `write` adds the elements.
template <typename Write>
std::string attr_of_tensor(std::int32_t dtype, std::optional<std::size_t> size, Write write) {
  return attr([&](pbf_writer& writer) {
    pbf_writer tensor(writer, kTensor);
    tensor.add_enum(kTensorType, dtype);
    {
      pbf_writer shape(tensor, kTensorShape);
      if (size) {
        const auto length = static_cast<std::int64_t>(*size);
        write_sizes(shape, {&length, 1});
      }
    }
    write(tensor);
  });
}

// Calls `read` with the field `tag` of a message, if it is there and can be read.
template <typename Value, typename Read>
std::optional<Value> field_in(std::string_view bytes, std::uint32_t tag, Read read) {
  std::optional<Value> value;
  try {
    pbf_reader field = fields_of(bytes);
    while (field.next(tag)) {
      value = read(field);
    }
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  return value;
}

std::int64_t size_of_dimension(std::string_view bytes) {
  std::int64_t size = 0;
  pbf_reader dimension = fields_of(bytes);
  while (dimension.next(1)) {
    size = read_int(dimension);
  }
  return size;
}

// Nothing for an unknown rank.
std::optional<std::vector<std::int64_t>> read_shape(pbf_reader shape) {
  std::vector<std::int64_t> sizes;
  while (shape.next()) {
    switch (shape.tag()) {
      case 2:
        sizes.push_back(size_of_dimension(read_view(shape)));
        break;
      case 3:
        if (read_bool(shape)) {
          return std::nullopt;
        }
        break;
      default:
        shape.skip();
    }
  }
  return sizes;
}

std::int64_t elements_in_shape(std::string_view bytes) {
  std::int64_t count = 1;
  pbf_reader shape = fields_of(bytes);
  while (shape.next(2)) {
    const std::int64_t size = size_of_dimension(read_view(shape));
    // Far more than a graph can hold, and far from overflowing.
    constexpr std::int64_t kMany = 1 << 24;
    count = size < 0 || size > kMany || count > kMany ? kMany + 1 : count * size;
  }
  return count;
}

// As many strings as the tensor says; a short list repeats its last one.
std::optional<std::vector<std::string>> read_string_tensor(std::string_view bytes) {
  std::vector<std::string> values;
  std::int64_t count = 1;
  pbf_reader field = fields_of(bytes);
  while (field.next()) {
    switch (field.tag()) {
      case kTensorType:
        if (read_int32(field) != kStringType) {
          return std::nullopt;
        }
        break;
      case kTensorShape:
        count = elements_in_shape(read_view(field));
        break;
      case kTensorStrings:
        values.push_back(read_string(field));
        break;
      default:
        field.skip();
    }
  }
  constexpr std::int64_t kMany = 1 << 24;
  if (count < 0 || count > kMany || static_cast<std::size_t>(count) < values.size()) {
    return std::nullopt;
  }
  values.resize(static_cast<std::size_t>(count), values.empty() ? std::string() : values.back());
  return values;
}

}  // namespace

std::string attr_of_type(std::int32_t dtype) {
  return attr([&](pbf_writer& writer) { writer.add_enum(kType, dtype); });
}

std::string attr_of_types(std::span<const std::int32_t> dtypes) {
  return attr([&](pbf_writer& writer) {
    pbf_writer list(writer, kList);
    list.add_packed_enum(kType, dtypes.begin(), dtypes.end());
  });
}

std::string attr_of_int(std::int64_t value) {
  return attr([&](pbf_writer& writer) { writer.add_int64(kInt, value); });
}

std::string attr_of_bool(bool value) {
  return attr([&](pbf_writer& writer) { writer.add_bool(kBool, value); });
}

std::string attr_of_string(std::string_view value) {
  return attr([&](pbf_writer& writer) { writer.add_bytes(kString, value.data(), value.size()); });
}

std::string attr_of_shape(const std::optional<std::vector<std::int64_t>>& shape) {
  std::string message;
  pbf_writer writer(message);
  if (shape) {
    write_sizes(writer, *shape);
  } else {
    writer.add_bool(3, true);
  }
  // Whole, since a nested writer leaves out what is empty: the shape of a scalar.
  return attr([&](pbf_writer& attr_writer) { attr_writer.add_message(kShape, message); });
}

std::string attr_of_strings(const std::vector<std::string>& values) {
  return attr_of_tensor(kStringType, values.size(), [&](pbf_writer& tensor) {
    for (const std::string& value : values) {
      tensor.add_bytes(kTensorStrings, value);
    }
  });
}

std::string attr_of_string_scalar(std::string_view value) {
  return attr_of_tensor(kStringType, std::nullopt, [&](pbf_writer& tensor) {
    tensor.add_bytes(kTensorStrings, value.data(), value.size());
  });
}

std::string attr_of_int32s(std::span<const std::int32_t> values) {
  return attr_of_tensor(kInt32Type, values.size(), [&](pbf_writer& tensor) {
    tensor.add_packed_int32(kTensorInts, values.begin(), values.end());
  });
}

std::string attr_of_int32_scalar(std::int32_t value) {
  return attr_of_tensor(kInt32Type, std::nullopt, [&](pbf_writer& tensor) {
    tensor.add_packed_int32(kTensorInts, &value, &value + 1);
  });
}

std::string attr_of_int64_scalar(std::int64_t value) {
  return attr_of_tensor(kInt64Type, std::nullopt, [&](pbf_writer& tensor) {
    tensor.add_packed_int64(kTensorLongs, &value, &value + 1);
  });
}

std::optional<std::int32_t> type_in_attr(std::string_view bytes) {
  return field_in<std::int32_t>(bytes, kType, [](pbf_reader& field) { return read_int32(field); });
}

std::optional<std::vector<std::int32_t>> types_in_attr(std::string_view bytes) {
  return field_in<std::vector<std::int32_t>>(bytes, kList, [](pbf_reader& field) {
    std::vector<std::int64_t> values;
    pbf_reader list = read_message(field);
    while (list.next(kType)) {
      read_repeated(list, values);
    }
    return std::vector<std::int32_t>(values.begin(), values.end());
  });
}

std::optional<std::vector<std::int64_t>> shape_in_attr(std::string_view bytes) {
  std::optional<std::vector<std::int64_t>> sizes;
  try {
    pbf_reader field = fields_of(bytes);
    while (field.next(kShape)) {
      sizes = read_shape(read_message(field));
    }
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  return sizes;
}

std::vector<std::optional<std::vector<std::int64_t>>> shapes_in_attr(std::string_view bytes) {
  using Shapes = std::vector<std::optional<std::vector<std::int64_t>>>;
  return field_in<Shapes>(bytes, kList,
                          [](pbf_reader& field) {
                            Shapes shapes;
                            pbf_reader list = read_message(field);
                            while (list.next(kShape)) {
                              shapes.push_back(read_shape(read_message(list)));
                            }
                            return shapes;
                          })
      .value_or(Shapes());
}

std::optional<std::string> string_in_attr(std::string_view bytes) {
  return field_in<std::string>(bytes, kString, [](pbf_reader& field) { return read_string(field); });
}

std::optional<std::string> function_in_attr(std::string_view bytes) {
  return field_in<std::string>(bytes, kFunction, [](pbf_reader& field) {
    std::string name;
    pbf_reader function = read_message(field);
    while (function.next(1)) {
      name = read_string(function);
    }
    return name;
  });
}

std::optional<std::vector<std::string>> strings_in_attr(std::string_view bytes) {
  std::optional<std::vector<std::string>> values;
  try {
    pbf_reader field = fields_of(bytes);
    while (field.next(kTensor)) {
      values = read_string_tensor(read_view(field));
    }
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  return values;
}

}  // namespace fermata::wire
