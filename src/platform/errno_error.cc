#include "platform/errno_error.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>

namespace fermata {
namespace {

struct Meaning {
  int error_number;
  Code code;
  std::string_view words;
  std::string_view advice;
};

// No entry has kUnavailable, kAborted or kOutOfRange: these would make a session start anew or end cleanly.
constexpr Meaning kMeanings[] = {
    {ENOENT, Code::kNotFound, "there is no such file or folder", "check the path"},
    {EACCES, Code::kPermissionDenied, "permission is denied",
     "give this user access or choose another folder"},
    {EPERM, Code::kPermissionDenied, "the operation is not permitted",
     "give this user access or choose another folder"},
    {EROFS, Code::kPermissionDenied, "the file system is read-only", "choose another folder"},
    {ENOSPC, Code::kResourceExhausted, "the disk is full", "free some space or choose another disk"},
    {EDQUOT, Code::kResourceExhausted, "the disk quota is used up", "free some space or choose another disk"},
    {EFBIG, Code::kResourceExhausted, "the file is larger than is allowed here",
     "raise the limit for file sizes or choose another disk"},
    {EMFILE, Code::kResourceExhausted, "too many files are open", "raise the limit with ulimit -n"},
    {ENFILE, Code::kResourceExhausted, "too many files are open on this machine", "close some programs"},
    {ENOMEM, Code::kResourceExhausted, "there is not enough memory", "free some memory"},
    {EISDIR, Code::kFailedPrecondition, "it is a folder, a file was expected", "choose another name"},
    {ENOTDIR, Code::kFailedPrecondition, "a part of the path is a file, a folder was expected",
     "choose another folder or move that file away"},
    {ENOTEMPTY, Code::kFailedPrecondition, "the folder is not empty", "choose another name"},
    {EEXIST, Code::kAlreadyExists, "there is something of that name already", "choose another name"},
    {EBUSY, Code::kFailedPrecondition, "it is in use", "end the program that uses it"},
    {ETXTBSY, Code::kFailedPrecondition, "it is in use", "end the program that uses it"},
    {EXDEV, Code::kFailedPrecondition, "both names must be on one file system", "choose another folder"},
    {ENAMETOOLONG, Code::kInvalidArgument, "the name is too long", "choose a shorter one"},
    {ELOOP, Code::kInvalidArgument, "there are too many symbolic links", "check the links in the path"},
    {EINVAL, Code::kInvalidArgument, "the system refuses the request", "choose another folder"},
    {EIO, Code::kDataLoss, "the disk reports an error", "look into the system's log and choose another disk"},
};

}  // namespace

Error errno_error(int error_number, std::string_view action, const std::string& path) {
  std::string text = path.empty() ? std::string("(empty path)") : path;
  text.append(": cannot ").append(action).append(": ");
  const auto* found = std::find_if(std::begin(kMeanings), std::end(kMeanings), [&](const Meaning& meaning) {
    return meaning.error_number == error_number;
  });
  if (found == std::end(kMeanings)) {
    return {Code::kUnknown, text + std::generic_category().message(error_number), ErrorSource::kSystem};
  }
  text.append(found->words).append("; ").append(found->advice);
  return {found->code, text, ErrorSource::kSystem};
}

void throw_errno(int error_number, std::string_view action, const std::string& path) {
  throw errno_error(error_number, action, path);
}

}  // namespace fermata
