// Sees from outside what a session does with its coordinator.
#pragma once

#include <functional>
#include <string>

#include "fermata/coordinator.h"

namespace fermata::conformance {

// A coordinator tells nobody what is asked of it, so it is looked at before each line of the trace: a worded
// stop request is seen by its words, and a join by its end. A join comes with the stop request before it.
class CoordinatorWatch {
 public:
  using Say = std::function<void(const std::string&)>;

  // A session showed its coordinator. The same one again changes nothing.
  void show(Coordinator* coordinator);
  // The session is closed: its coordinator may be gone any time.
  void forget();
  void look(const Say& say);

  // Null if there is none, or it may be gone.
  [[nodiscard]] Coordinator* newest() const noexcept { return newest_; }
  [[nodiscard]] bool should_stop() const;
  // "K1", "null" without one.
  [[nodiscard]] std::string label() const;

 private:
  Coordinator* newest_ = nullptr;
  int count_ = 0;
  bool worded_ = false;
  bool joined_ = false;
  bool stopped_ = false;
};

}  // namespace fermata::conformance
