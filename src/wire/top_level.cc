#include "wire/top_level.h"

#include <protozero/exception.hpp>
#include <protozero/varint.hpp>
#include <string>

namespace fermata::wire {
namespace {

constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kLengthDelimited = 2;

std::uint64_t read_varint(const char** at, const char* end, std::size_t offset) {
  try {
    return protozero::decode_varint(at, end);
  } catch (const protozero::end_of_buffer_exception&) {
    throw Malformed(Fault::kTruncated, "it ends within the number at byte " + std::to_string(offset));
  } catch (const protozero::exception&) {
    throw Malformed(Fault::kForeign, "there is no field at byte " + std::to_string(offset));
  }
}

}  // namespace

void for_each_message(std::string_view bytes, std::uint32_t last_field,
                      const std::function<void(std::uint32_t field, std::string_view value)>& visit,
                      std::uint32_t number_field) {
  if (bytes.empty()) {
    throw Malformed(Fault::kEmpty, "it is empty");
  }
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    const auto offset = static_cast<std::size_t>(at - bytes.data());
    const std::uint64_t key = read_varint(&at, end, offset);
    const std::uint64_t field = key >> 3;
    if (field != 0 && field == number_field && (key & 7) == kVarint) {
      static_cast<void>(read_varint(&at, end, offset));
      continue;
    }
    if ((key & 7) != kLengthDelimited || field == 0 || field > last_field) {
      throw Malformed(Fault::kForeign, "there is no such field as the one at byte " + std::to_string(offset));
    }
    const std::uint64_t size = read_varint(&at, end, offset);
    const auto left = static_cast<std::uint64_t>(end - at);
    if (size > left) {
      throw Malformed(Fault::kTruncated, "the field at byte " + std::to_string(offset) + " should have " +
                                             std::to_string(size) + " bytes, but only " +
                                             std::to_string(left) + " follow");
    }
    visit(static_cast<std::uint32_t>(field), {at, static_cast<std::size_t>(size)});
    at += size;
  }
}

}  // namespace fermata::wire
