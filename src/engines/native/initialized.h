// Which variables a session, or several of one target, may use.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engines/native/variable.h"

namespace fermata::native {

// A mark once set stays. Threads: every function may be called from any thread.
class Initialized {
 public:
  void mark(std::span<Variable* const> variables);

  // Names of those that are not, in the given order.
  [[nodiscard]] std::vector<std::string> missing(std::span<Variable* const> variables) const;

  // Throws: Error kFailedPrecondition (engine) that names who needs what.
  void require(std::span<Variable* const> variables, const std::string& who) const;

 private:
  mutable std::mutex mutex_;
  std::vector<bool> marks_;  // by Variable::index; grows as variables are added
};

}  // namespace fermata::native
