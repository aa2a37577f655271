// Threads that a scenario starts beside the loop.
#pragma once

#include <memory>
#include <vector>

#include "conformance/json.h"
#include "fermata/coordinator.h"

namespace fermata::conformance {

// Threads: one at a time. The destructor ends and waits for all.
class ScenarioThreads {
 public:
  ScenarioThreads();
  ~ScenarioThreads();

  // `until: "stop"`, `seconds`, or `error`, which is reported and ends the thread before this returns.
  void start(Coordinator* coordinator, const Json& spec);
  // Names of those that live, sorted.
  [[nodiscard]] Json alive() const;
  // Registers those of these names, which were not, with the coordinator.
  void hand_over(Coordinator& coordinator, const std::vector<std::string>& names);
  // Lets all end that only wait for time to pass.
  void release();

 private:
  struct Entry;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace fermata::conformance
