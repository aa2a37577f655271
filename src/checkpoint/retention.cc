#include "checkpoint/retention.h"

#include <algorithm>

namespace fermata {
namespace {

constexpr double kSecondsPerHour = 3600;

}  // namespace

Retention::Retention(Options options, double now_seconds) : options_(options) { begin_periods(now_seconds); }

void Retention::begin_periods(double now_seconds) {
  next_keep_seconds_ = now_seconds + options_.keep_every_n_hours * kSecondsPerHour;
}

std::optional<std::string> Retention::add(const std::string& prefix, double now_seconds,
                                          std::optional<double> value) {
  if (options_.max_to_keep == 0) {
    return std::nullopt;
  }
  std::erase_if(listed_, [&](const Listed& listed) { return listed.prefix == prefix; });
  listed_.push_back({prefix, now_seconds, value});
  const std::optional<std::size_t> place = place_to_let_go();
  if (!place) {
    return std::nullopt;
  }
  const Listed let_go = listed_[*place];
  listed_.erase(listed_.begin() + static_cast<std::ptrdiff_t>(*place));
  if (let_go.seconds > next_keep_seconds_) {
    // Off the list, but it stays on disk.
    next_keep_seconds_ += options_.keep_every_n_hours * kSecondsPerHour;
    return std::nullopt;
  }
  return let_go.prefix;
}

std::optional<std::size_t> Retention::place_to_let_go() const {
  const auto newest = static_cast<std::size_t>(options_.max_to_keep);
  const std::set<std::size_t> best = best_places();
  for (std::size_t place = 0; place + newest < listed_.size(); ++place) {
    if (!best.contains(place)) {
      return place;
    }
  }
  return std::nullopt;
}

// Of equal ones the newer counts as the better.
std::set<std::size_t> Retention::best_places() const {
  std::vector<std::size_t> places;
  for (std::size_t place = listed_.size(); place-- > 0 && options_.keep_best > 0;) {
    if (listed_[place].value) {
      places.push_back(place);
    }
  }
  std::stable_sort(places.begin(), places.end(), [this](std::size_t a, std::size_t b) {
    return options_.best == BestValue::kLowest ? *listed_[a].value < *listed_[b].value
                                               : *listed_[a].value > *listed_[b].value;
  });
  places.resize(std::min(places.size(), static_cast<std::size_t>(options_.keep_best)));
  return {places.begin(), places.end()};
}

std::vector<std::string> Retention::prefixes() const {
  std::vector<std::string> all;
  for (const Listed& listed : listed_) {
    all.push_back(listed.prefix);
  }
  return all;
}

}  // namespace fermata
