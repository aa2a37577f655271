#include "engines/native/initialized.h"

#include <fmt/format.h>

#include "engines/native/text.h"
#include "fermata/error.h"

namespace fermata::native {

void Initialized::mark(std::span<Variable* const> variables) {
  const std::lock_guard lock(mutex_);
  for (const Variable* variable : variables) {
    if (marks_.size() <= variable->index) {
      marks_.resize(variable->index + 1);
    }
    marks_[variable->index] = true;
  }
}

std::vector<std::string> Initialized::missing(std::span<Variable* const> variables) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const Variable* variable : variables) {
    if (variable->index >= marks_.size() || !marks_[variable->index]) {
      names.push_back(variable->name());
    }
  }
  return names;
}

void Initialized::require(std::span<Variable* const> variables, const std::string& who) const {
  const std::vector<std::string> names = missing(variables);
  if (!names.empty()) {
    throw Error(Code::kFailedPrecondition,
                fmt::format("{} needs what is uninitialized in this session: {}; run the init operation or "
                            "restore a checkpoint first",
                            who, list_text(names)),
                ErrorSource::kEngine);
  }
}

}  // namespace fermata::native
