// Preloaded into a program: counts its calls that change files below a folder, and makes one of them, or all
// from one on, fail, write half, be interrupted, or be the last thing that the process does.
//
//   FAULT_DIR     calls about files below this folder are counted
//   FAULT_AT      the number of the call, from 1
//   FAULT_KIND    an errno as a number, "short" (a write takes half of what it is given) or "kill"
//   FAULT_MODE    "once" or "on" (from there on)
//   FAULT_REPORT  a file that gets the number of calls at the end
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Plan {
  const char* folder = std::getenv("FAULT_DIR");
  long at = std::getenv("FAULT_AT") == nullptr ? 0 : std::atol(std::getenv("FAULT_AT"));
  const char* kind = std::getenv("FAULT_KIND");
  bool once = std::getenv("FAULT_MODE") != nullptr && std::strcmp(std::getenv("FAULT_MODE"), "once") == 0;
  std::atomic<long> calls{0};
};

Plan& plan() {
  static Plan the_plan;
  return the_plan;
}

template <typename Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool concerns(const char* path) {
  const char* folder = plan().folder;
  return folder != nullptr && path != nullptr && std::strncmp(path, folder, std::strlen(folder)) == 0;
}

bool concerns(int file) {
  char link[64];
  char path[PATH_MAX];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  const ssize_t size = ::readlink(link, path, sizeof(path) - 1);
  if (size <= 0) {
    return false;
  }
  path[size] = '\0';
  return concerns(path);
}

enum class Outcome { kGoOn, kFail, kShort };

// Counts the call and says what becomes of it; errno is set for a failure.
Outcome count() {
  const long number = ++plan().calls;
  if (plan().at == 0 || number < plan().at || (plan().once && number > plan().at)) {
    return Outcome::kGoOn;
  }
  if (std::strcmp(plan().kind, "kill") == 0) {
    ::kill(::getpid(), SIGKILL);
    ::pause();
  }
  if (std::strcmp(plan().kind, "short") == 0) {
    return Outcome::kShort;
  }
  errno = std::atoi(plan().kind);
  // Interrupted for ever would be no system.
  if (errno == EINTR && !plan().once && number > plan().at + 3) {
    return Outcome::kGoOn;
  }
  return Outcome::kFail;
}

template <typename Call>
auto guarded(bool concerned, const Call& call) -> decltype(call()) {
  if (concerned && count() == Outcome::kFail) {
    return -1;
  }
  return call();
}

struct Reporter {
  ~Reporter() {
    if (const char* path = std::getenv("FAULT_REPORT")) {
      if (std::FILE* file = std::fopen(path, "w")) {
        std::fprintf(file, "%ld\n", plan().calls.load());
        std::fclose(file);
      }
    }
  }
} reporter;

bool changes(int flags) { return (flags & (O_CREAT | O_TRUNC)) != 0; }

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  static auto* const real = original<ssize_t(int, const void*, size_t)>("write");
  if (concerns(file)) {
    switch (count()) {
      case Outcome::kFail:
        return -1;
      case Outcome::kShort:
        return real(file, bytes, std::max<size_t>(size / 2, 1));
      case Outcome::kGoOn:
        break;
    }
  }
  return real(file, bytes, size);
}

int open(const char* path, int flags, ...) {
  static auto* const real = original<int(const char*, int, ...)>("open");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return guarded(concerns(path) && changes(flags), [&] { return real(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return open(path, flags, mode);
}

int fsync(int file) {
  static auto* const real = original<int(int)>("fsync");
  return guarded(concerns(file), [&] { return real(file); });
}

int fdatasync(int file) {
  static auto* const real = original<int(int)>("fdatasync");
  return guarded(concerns(file), [&] { return real(file); });
}

int rename(const char* from, const char* to) {
  static auto* const real = original<int(const char*, const char*)>("rename");
  return guarded(concerns(to), [&] { return real(from, to); });
}

int unlink(const char* path) {
  static auto* const real = original<int(const char*)>("unlink");
  return guarded(concerns(path), [&] { return real(path); });
}

int mkdir(const char* path, mode_t mode) {
  static auto* const real = original<int(const char*, mode_t)>("mkdir");
  return guarded(concerns(path), [&] { return real(path, mode); });
}

}  // extern "C"
