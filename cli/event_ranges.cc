#include "cli/event_ranges.h"

#include <algorithm>
#include <cmath>

namespace fermata::cli {

void EventRanges::add(const LoggedEvent& event) {
  for (const EventValue& value : event.values) {
    const auto [place, is_new] = ranges_.try_emplace(value.tag);
    EventRange& range = place->second;
    if (is_new) {
      range.kind = value.kind;
      range.first_step = range.last_step = event.step;
    }
    ++range.count;
    range.first_step = std::min(range.first_step, event.step);
    range.last_step = std::max(range.last_step, event.step);
    range.last = value.scalar;
    if (value.scalar && !std::isnan(*value.scalar)) {
      range.min = std::min(range.min.value_or(*value.scalar), *value.scalar);
      range.max = std::max(range.max.value_or(*value.scalar), *value.scalar);
    }
  }
}

}  // namespace fermata::cli
