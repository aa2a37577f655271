// What each tag of a run holds, in few words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "fermata/event_files.h"

namespace fermata::cli {

struct EventRange {
  EventValue::Kind kind = EventValue::Kind::kOther;
  std::uint64_t count = 0;
  Step first_step = 0;
  Step last_step = 0;
  // Of scalars; NaN is left out.
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> last;
};

// By tag.
class EventRanges {
 public:
  void add(const LoggedEvent& event);
  [[nodiscard]] const std::map<std::string, EventRange>& all() const noexcept { return ranges_; }

 private:
  std::map<std::string, EventRange> ranges_;
};

}  // namespace fermata::cli
