#include "platform/process.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace fermata {

std::int64_t process_id() noexcept { return ::getpid(); }

bool process_runs(std::int64_t id) noexcept {
  // 0 and below are groups of processes.
  return id > 0 && (::kill(static_cast<pid_t>(id), 0) == 0 || errno == EPERM);
}

std::string host_name() {
  std::array<char, 256> name{};
  // A name that is too long comes back cut, perhaps without its end mark.
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') {
    return "localhost";
  }
  return name.data();
}

}  // namespace fermata
