#include "wire/bundle_proto.h"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "wire/protobuf_fields.h"

namespace fermata::wire {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;
using Type = protozero::pbf_wire_type;

// The version of the format that is written and understood.
constexpr std::int32_t kProducer = 1;

// Fields are looked at together with their wire type, so that a field of another type counts as unknown.
constexpr std::uint32_t field(std::uint32_t tag, Type type) { return protozero::tag_and_type(tag, type); }

std::vector<std::int64_t> decode_shape(pbf_reader message, bool& unknown_rank) {
  std::vector<std::int64_t> shape;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case field(2, Type::length_delimited): {
        pbf_reader dim = message.get_message();
        std::int64_t size = 0;
        while (dim.next()) {
          if (dim.tag_and_type() == field(1, Type::varint)) {
            size = dim.get_int64();
          } else {
            dim.skip();
          }
        }
        shape.push_back(size);
        break;
      }
      case field(3, Type::varint):
        unknown_rank = read_bool(message);
        break;
      default:
        message.skip();
    }
  }
  return shape;
}

TensorSliceProto decode_slice(pbf_reader message) {
  TensorSliceProto slice;
  while (message.next()) {
    if (message.tag_and_type() != field(1, Type::length_delimited)) {
      message.skip();
      continue;
    }
    TensorSliceProto::Extent& extent = slice.extents.emplace_back();
    pbf_reader inner = message.get_message();
    while (inner.next()) {
      switch (inner.tag_and_type()) {
        case field(1, Type::varint):
          extent.start = inner.get_int64();
          break;
        case field(2, Type::varint):
          extent.length = inner.get_int64();
          break;
        default:
          inner.skip();
      }
    }
  }
  return slice;
}

std::int32_t decode_min_consumer(pbf_reader message) {
  std::int32_t min_consumer = 0;
  while (message.next()) {
    if (message.tag_and_type() == field(2, Type::varint)) {
      min_consumer = message.get_int32();
    } else {
      message.skip();
    }
  }
  return min_consumer;
}

// A field that holds its default is left out, as protobuf does.
void add_nonzero(pbf_writer& out, std::uint32_t tag, std::int64_t value) {
  if (value != 0) {
    out.add_int64(tag, value);
  }
}

// The parts of a message are made first and put in whole: pbf_writer leaves out a part that it finds empty,
// but an empty dimension or shape says something.
std::string encode_dim(std::int64_t size) {
  std::string bytes;
  pbf_writer out(bytes);
  add_nonzero(out, 1, size);
  return bytes;
}

std::string encode_shape(const std::vector<std::int64_t>& shape) {
  std::string bytes;
  pbf_writer out(bytes);
  for (const std::int64_t size : shape) {
    out.add_message(2, encode_dim(size));
  }
  return bytes;
}

std::string encode_extent(const TensorSliceProto::Extent& extent) {
  std::string bytes;
  pbf_writer out(bytes);
  add_nonzero(out, 1, extent.start);
  if (extent.length >= 0) {
    out.add_int64(2, extent.length);
  }
  return bytes;
}

std::string encode_slice(const TensorSliceProto& slice) {
  std::string bytes;
  pbf_writer out(bytes);
  for (const TensorSliceProto::Extent& extent : slice.extents) {
    out.add_message(1, encode_extent(extent));
  }
  return bytes;
}

template <typename Decode>
auto decode_or_nothing(std::string_view bytes, const Decode& decode)
    -> std::optional<decltype(decode(pbf_reader()))> {
  try {
    return decode(fields_of(bytes));
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string encode(const BundleHeaderProto& header) {
  std::string bytes;
  pbf_writer out(bytes);
  add_nonzero(out, 1, header.num_shards);
  add_nonzero(out, 2, header.big_endian ? 1 : 0);
  pbf_writer version(out, 3);
  version.add_int32(1, kProducer);
  add_nonzero(version, 2, header.min_consumer);
  return bytes;
}

std::string encode(const BundleEntryProto& entry) {
  std::string bytes;
  pbf_writer out(bytes);
  add_nonzero(out, 1, entry.dtype);
  out.add_message(2, encode_shape(entry.shape));
  add_nonzero(out, 3, entry.shard_id);
  add_nonzero(out, 4, entry.offset);
  add_nonzero(out, 5, entry.size);
  if (entry.crc32c != 0) {
    out.add_fixed32(6, entry.crc32c);
  }
  for (const TensorSliceProto& slice : entry.slices) {
    out.add_message(7, encode_slice(slice));
  }
  return bytes;
}

std::optional<BundleHeaderProto> decode_bundle_header(std::string_view bytes) {
  return decode_or_nothing(bytes, [](pbf_reader message) {
    BundleHeaderProto header;
    while (message.next()) {
      switch (message.tag_and_type()) {
        case field(1, Type::varint):
          header.num_shards = message.get_int32();
          break;
        case field(2, Type::varint):
          header.big_endian = read_bool(message);
          break;
        case field(3, Type::length_delimited):
          header.min_consumer = decode_min_consumer(message.get_message());
          break;
        default:
          message.skip();
      }
    }
    return header;
  });
}

std::optional<BundleEntryProto> decode_bundle_entry(std::string_view bytes) {
  return decode_or_nothing(bytes, [](pbf_reader message) {
    BundleEntryProto entry;
    while (message.next()) {
      switch (message.tag_and_type()) {
        case field(1, Type::varint):
          entry.dtype = message.get_int32();
          break;
        case field(2, Type::length_delimited):
          entry.shape = decode_shape(message.get_message(), entry.unknown_rank);
          break;
        case field(3, Type::varint):
          entry.shard_id = message.get_int32();
          break;
        case field(4, Type::varint):
          entry.offset = message.get_int64();
          break;
        case field(5, Type::varint):
          entry.size = message.get_int64();
          break;
        case field(6, Type::fixed32):
          entry.crc32c = message.get_fixed32();
          break;
        case field(7, Type::length_delimited):
          entry.slices.push_back(decode_slice(message.get_message()));
          break;
        default:
          message.skip();
      }
    }
    return entry;
  });
}

}  // namespace fermata::wire
