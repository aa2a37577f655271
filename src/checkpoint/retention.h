// Which checkpoints stay.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fermata/saver.h"

namespace fermata {

// The list of one saver, oldest first, and the rule by which it lets go of them.
// A value: a save works on a copy, which counts once the save is committed.
class Retention {
 public:
  struct Options {
    // 0: the list stays empty and nothing is let go.
    int max_to_keep = 5;
    double keep_every_n_hours = 10000.0;
    // Besides the newest, those with the best values.
    int keep_best = 0;
    BestValue best = BestValue::kLowest;
  };

  Retention(Options options, double now_seconds);
  // The first of the periods of which one checkpoint each is kept begins now.
  void begin_periods(double now_seconds);

  // A new checkpoint, or one that is listed and written again. Returns the one to delete, if there is one.
  // `value` counts for the best ones; nothing: it is never among them.
  [[nodiscard]] std::optional<std::string> add(const std::string& prefix, double now_seconds,
                                               std::optional<double> value = std::nullopt);

  struct Listed {
    std::string prefix;
    double seconds = 0;
    std::optional<double> value;
  };
  void recover(std::vector<Listed> listed) { listed_ = std::move(listed); }

  [[nodiscard]] std::vector<std::string> prefixes() const;

 private:
  // Places in the list.
  [[nodiscard]] std::set<std::size_t> best_places() const;
  [[nodiscard]] std::optional<std::size_t> place_to_let_go() const;

  Options options_;
  double next_keep_seconds_ = 0;
  std::vector<Listed> listed_;
};

}  // namespace fermata
