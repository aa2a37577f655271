// Which checkpoints stay.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fermata {

// The list of one saver, oldest first, and the rule by which it lets go of them.
// A value: a save works on a copy, which counts once the save is committed.
class Retention {
 public:
  struct Options {
    // 0: the list stays empty and nothing is let go.
    int max_to_keep = 5;
    double keep_every_n_hours = 10000.0;
  };

  Retention(Options options, double now_seconds);

  // A new checkpoint, or one that is listed and written again. Returns the one to delete, if there is one.
  [[nodiscard]] std::optional<std::string> add(const std::string& prefix, double now_seconds);

  struct Listed {
    std::string prefix;
    double seconds = 0;
  };
  void recover(std::vector<Listed> listed) { listed_ = std::move(listed); }

  [[nodiscard]] std::vector<std::string> prefixes() const;

 private:
  Options options_;
  double next_keep_seconds_;
  std::vector<Listed> listed_;
};

}  // namespace fermata
