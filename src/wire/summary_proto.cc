#include "wire/summary_proto.h"

#include <fmt/format.h>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "wire/protobuf_fields.h"

namespace fermata::wire {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;

// The fields of Summary.Value.
constexpr std::uint32_t kTag = 1;
constexpr std::uint32_t kImage = 4;
constexpr std::uint32_t kHistogram = 5;
constexpr std::uint32_t kTensor = 8;
constexpr std::uint32_t kMetadata = 9;

template <typename Write>
std::string one_value(std::string_view tag, Write write) {
  std::string bytes;
  pbf_writer summary(bytes);
  pbf_writer value(summary, 1);
  value.add_string(kTag, tag.data(), tag.size());
  write(value);
  return bytes;
}

double read_double(pbf_reader& field) {
  require_kind(field, protozero::pbf_wire_type::fixed64);
  return field.get_double();
}

}  // namespace

std::string histogram_summary(std::string_view tag, const Histogram& histogram) {
  return one_value(tag, [&](pbf_writer& value) {
    pbf_writer out(value, kHistogram);
    out.add_double(1, histogram.min);
    out.add_double(2, histogram.max);
    out.add_double(3, histogram.count);
    out.add_double(4, histogram.sum);
    out.add_double(5, histogram.sum_of_squares);
    out.add_packed_double(6, histogram.limits.begin(), histogram.limits.end());
    out.add_packed_double(7, histogram.counts.begin(), histogram.counts.end());
  });
}

std::string image_summary(std::string_view tag, const EncodedImage& image) {
  return one_value(tag, [&](pbf_writer& value) {
    pbf_writer out(value, kImage);
    out.add_int32(1, image.height);
    out.add_int32(2, image.width);
    out.add_int32(3, image.channels);
    out.add_bytes(4, image.png.data(), image.png.size());
  });
}

std::string tensor_summary(std::string_view tag, std::string_view plugin, std::string_view tensor_proto) {
  return one_value(tag, [&](pbf_writer& value) {
    value.add_message(kTensor, tensor_proto.data(), tensor_proto.size());
    if (!plugin.empty()) {
      pbf_writer metadata(value, kMetadata);
      pbf_writer data(metadata, 1);
      data.add_string(1, plugin.data(), plugin.size());
    }
  });
}

std::optional<std::string> histogram_words(std::string_view histogram) {
  try {
    double min = 0;
    double max = 0;
    double count = 0;
    pbf_reader field = fields_of(histogram);
    while (field.next()) {
      switch (field.tag()) {
        case 1:
          min = read_double(field);
          break;
        case 2:
          max = read_double(field);
          break;
        case 3:
          count = read_double(field);
          break;
        default:
          field.skip();
      }
    }
    return fmt::format("{} values from {} to {}", count, min, max);
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

std::optional<std::string> image_words(std::string_view image) {
  try {
    std::int32_t height = 0;
    std::int32_t width = 0;
    pbf_reader field = fields_of(image);
    while (field.next()) {
      switch (field.tag()) {
        case 1:
          height = read_int32(field);
          break;
        case 2:
          width = read_int32(field);
          break;
        default:
          field.skip();
      }
    }
    return fmt::format("{} x {} pixels", width, height);
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

}  // namespace fermata::wire
