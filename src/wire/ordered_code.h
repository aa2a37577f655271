// Values as bytes whose order is the order of the values; the keys of partitioned variables in a checkpoint's
// index are made of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fermata::wire {

// A number without sign: how many bytes it needs, then these, highest first.
void append_ordered(std::string& out, std::uint64_t value);
// Bytes: zero and 0xff escaped, an end mark behind.
void append_ordered(std::string& out, std::string_view bytes);
// A number with sign: the length in leading bits, like UTF-8, negative ones inverted.
void append_ordered_signed(std::string& out, std::int64_t value);

}  // namespace fermata::wire
