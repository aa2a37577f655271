// What the readers of this folder throw at bytes that are not the message they should be.
#pragma once

#include <stdexcept>
#include <string>

namespace fermata::wire {

enum class Fault {
  kEmpty,      // no bytes at all
  kTruncated,  // a field says that it goes on past the end
  kForeign,    // another kind of content
};

// The text says what was found ("the field at byte 70 should have 4000 bytes, but only 120 follow"), without
// naming the file, which only the caller knows.
class Malformed : public std::runtime_error {
 public:
  Malformed(Fault fault, const std::string& found) : std::runtime_error(found), fault_(fault) {}
  [[nodiscard]] Fault fault() const noexcept { return fault_; }

 private:
  Fault fault_;
};

}  // namespace fermata::wire
