#include "cli/system_error.h"

#include <cerrno>
#include <string_view>
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

std::string_view advice(int failure) {
  switch (code_for_errno(failure)) {
    case Code::kNotFound:
      return "; make the folder first, or give another path";
    case Code::kPermissionDenied:
      return "; give this user access, or give another path";
    case Code::kResourceExhausted:
      return "; make room there, or give another path";
    default:
      return "; give another path";
  }
}

}  // namespace

Error system_error(const std::string& what, int failure) {
  return {code_for_errno(failure),
          what + ": " + std::generic_category().message(failure) + std::string(advice(failure)),
          ErrorSource::kSystem};
}

}  // namespace fermata::cli
