#include "checkpoint/retention.h"

namespace fermata {
namespace {

constexpr double kSecondsPerHour = 3600;

}  // namespace

Retention::Retention(Options options, double now_seconds)
    : options_(options), next_keep_seconds_(now_seconds + options.keep_every_n_hours * kSecondsPerHour) {}

std::optional<std::string> Retention::add(const std::string& prefix, double now_seconds) {
  if (options_.max_to_keep == 0) {
    return std::nullopt;
  }
  std::erase_if(listed_, [&](const Listed& listed) { return listed.prefix == prefix; });
  listed_.push_back({prefix, now_seconds});
  if (listed_.size() <= static_cast<std::size_t>(options_.max_to_keep)) {
    return std::nullopt;
  }
  const Listed oldest = listed_.front();
  listed_.erase(listed_.begin());
  if (oldest.seconds > next_keep_seconds_) {
    // Off the list, but it stays on disk.
    next_keep_seconds_ += options_.keep_every_n_hours * kSecondsPerHour;
    return std::nullopt;
  }
  return oldest.prefix;
}

std::vector<std::string> Retention::prefixes() const {
  std::vector<std::string> all;
  for (const Listed& listed : listed_) {
    all.push_back(listed.prefix);
  }
  return all;
}

}  // namespace fermata
