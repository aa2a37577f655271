// Wrong usage of the command line.
#pragma once

#include <string>

#include "fermata/error.h"

namespace fermata::cli {

// What was given cannot be carried out: main shows the sentence and where help is.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(Code::kInvalidArgument, message) {}
};

}  // namespace fermata::cli
