// Notices that a run is asked for while another one is under way.
#pragma once

#include <atomic>

#include "fermata/error.h"

namespace fermata {

// Holds the flag as long as it lives. Throws: Misuse if somebody else does. Two threads that come at the very
// same moment may both get in: this is a help for those who break a rule, and it is to cost nothing.
class UnderWay {
 public:
  explicit UnderWay(std::atomic<bool>& flag) : flag_(flag) {
    refuse(flag);
    flag_.store(true, std::memory_order_relaxed);
  }
  ~UnderWay() { flag_.store(false, std::memory_order_relaxed); }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  static void refuse(const std::atomic<bool>& flag) {
    if (flag.load(std::memory_order_relaxed)) [[unlikely]] {
      throw Misuse(
          "a monitored session was called while a run of it is under way, by a hook or by another thread; "
          "one "
          "thread drives it, and a hook uses the raw session of its context");
    }
  }

 private:
  std::atomic<bool>& flag_;
};

}  // namespace fermata
