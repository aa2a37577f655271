#include "cli/system_error.h"

#include <cerrno>
#include <system_error>

namespace fermata::cli {
namespace {

// Never one of the codes after which a session would be made again.
Code code_for_errno(int failure) {
  switch (failure) {
    case ENOENT:
    case ENOTDIR:
      return Code::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
      return Code::kResourceExhausted;
    default:
      return Code::kUnknown;
  }
}

}  // namespace

Error system_error(const std::string& what, int failure) {
  return {code_for_errno(failure), what + ": " + std::generic_category().message(failure),
          ErrorSource::kSystem};
}

}  // namespace fermata::cli
