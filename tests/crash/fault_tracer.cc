// Runs a program and counts the calls of the system by which it, or a library that it opens in any way,
// changes files below a folder; makes one of them, or all from one on, fail, write half, or be the last thing
// that the process does.
//
//   fault_tracer FOLDER REPORT AT KIND MODE COMMAND...
//
// AT is the number of the call, from 1 (0: none); KIND an errno as a number, "short" or "kill"; MODE "once"
// or "on". REPORT gets the number of calls. The exit code is the program's; 137 if it was killed; 77 where
// the system does not let one process watch another.
//
// Unlike a preloaded library this sees the calls of libraries that were opened with names of their own
// (RTLD_DEEPBIND).
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kNoTracing = 77;

// Which argument of a call says what it changes.
enum class Subject { kDescriptor, kPath, kPathBehindFolder, kSecondPath, kSecondPathBehindFolder };

struct Call {
  unsigned long long number;
  Subject subject;
};
constexpr std::array<Call, 19> kCalls = {{{SYS_write, Subject::kDescriptor},
                                          {SYS_pwrite64, Subject::kDescriptor},
                                          {SYS_writev, Subject::kDescriptor},
                                          {SYS_pwritev, Subject::kDescriptor},
                                          {SYS_fsync, Subject::kDescriptor},
                                          {SYS_fdatasync, Subject::kDescriptor},
                                          {SYS_ftruncate, Subject::kDescriptor},
                                          {SYS_open, Subject::kPath},
                                          {SYS_creat, Subject::kPath},
                                          {SYS_openat, Subject::kPathBehindFolder},
                                          {SYS_rename, Subject::kSecondPath},
                                          {SYS_renameat, Subject::kSecondPathBehindFolder},
                                          {SYS_renameat2, Subject::kSecondPathBehindFolder},
                                          {SYS_unlink, Subject::kPath},
                                          {SYS_unlinkat, Subject::kPathBehindFolder},
                                          {SYS_mkdir, Subject::kPath},
                                          {SYS_mkdirat, Subject::kPathBehindFolder},
                                          {SYS_rmdir, Subject::kPath},
                                          {SYS_truncate, Subject::kPath}}};

struct Plan {
  std::string folder;
  std::string report;
  long at = 0;
  std::string kind;
  bool once = true;
  long calls = 0;
};

// The program stops at these calls and at no others, so that it stays fast.
void stop_at_calls() {
  std::vector<sock_filter> filter = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (std::size_t i = 0; i < kCalls.size(); ++i) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(kCalls[i].number),
                              static_cast<unsigned char>(kCalls.size() - i), 0));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) {
    ::_exit(kNoTracing);
  }
}

[[noreturn]] void become(char** command) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
    ::_exit(kNoTracing);
  }
  ::raise(SIGSTOP);
  stop_at_calls();
  ::execvp(command[0], command);
  std::perror(command[0]);
  ::_exit(127);
}

std::string text_at(pid_t process, unsigned long long address) {
  std::string text(PATH_MAX, '\0');
  // Page by page: the text may end just before memory that is not there.
  std::size_t done = 0;
  while (done < text.size()) {
    const std::size_t left_of_page = 4096 - (address + done) % 4096;
    iovec here = {text.data() + done, std::min(left_of_page, text.size() - done)};
    iovec there = {reinterpret_cast<void*>(address + done), here.iov_len};
    const ssize_t count = ::process_vm_readv(process, &here, 1, &there, 1, 0);
    if (count <= 0) {
      break;
    }
    if (const auto* end =
            static_cast<const char*>(std::memchr(here.iov_base, '\0', static_cast<std::size_t>(count)))) {
      text.resize(static_cast<std::size_t>(end - text.data()));
      return text;
    }
    done += static_cast<std::size_t>(count);
  }
  text.resize(done);
  return text;
}

std::string link_target(const std::string& link) {
  std::array<char, PATH_MAX> path{};
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : std::string();
}

std::string absolute(pid_t process, int folder, const std::string& path) {
  if (path.starts_with('/')) {
    return path;
  }
  const std::string of_process = "/proc/" + std::to_string(process);
  const std::string base = folder == AT_FDCWD ? link_target(of_process + "/cwd")
                                              : link_target(of_process + "/fd/" + std::to_string(folder));
  return base + "/" + path;
}

std::string subject_of(pid_t process, const user_regs_struct& registers) {
  const auto call = std::find_if(kCalls.begin(), kCalls.end(),
                                 [&](const Call& known) { return known.number == registers.orig_rax; });
  if (call == kCalls.end()) {
    return "";
  }
  switch (call->subject) {
    case Subject::kDescriptor:
      return link_target("/proc/" + std::to_string(process) + "/fd/" +
                         std::to_string(static_cast<int>(registers.rdi)));
    case Subject::kPath:
      return absolute(process, AT_FDCWD, text_at(process, registers.rdi));
    case Subject::kPathBehindFolder:
      return absolute(process, static_cast<int>(registers.rdi), text_at(process, registers.rsi));
    case Subject::kSecondPath:
      return absolute(process, AT_FDCWD, text_at(process, registers.rsi));
    case Subject::kSecondPathBehindFolder:
      return absolute(process, static_cast<int>(registers.rdx), text_at(process, registers.r10));
  }
  return "";
}

bool changes_a_file(const user_regs_struct& registers) {
  const unsigned long long flags = registers.orig_rax == SYS_open ? registers.rsi : registers.rdx;
  return (registers.orig_rax != SYS_open && registers.orig_rax != SYS_openat) ||
         (flags & (O_CREAT | O_TRUNC)) != 0;
}

bool is_write(const user_regs_struct& registers) {
  return registers.orig_rax == SYS_write || registers.orig_rax == SYS_pwrite64;
}

// A process or a thread stands before a call.
void meet(pid_t process, Plan& plan) {
  user_regs_struct registers{};
  if (::ptrace(PTRACE_GETREGS, process, nullptr, &registers) != 0 || !changes_a_file(registers) ||
      !subject_of(process, registers).starts_with(plan.folder)) {
    return;
  }
  ++plan.calls;
  if (plan.at == 0 || plan.calls < plan.at || (plan.once && plan.calls > plan.at)) {
    return;
  }
  if (plan.kind == "kill") {
    ::kill(process, SIGKILL);
    return;
  }
  if (plan.kind == "short") {
    if (is_write(registers) && registers.rdx > 1) {
      registers.rdx /= 2;
      ::ptrace(PTRACE_SETREGS, process, nullptr, &registers);
    }
    return;
  }
  // No call at all, and this is what it answers.
  registers.orig_rax = static_cast<unsigned long long>(-1);
  registers.rax = static_cast<unsigned long long>(-std::atol(plan.kind.c_str()));
  ::ptrace(PTRACE_SETREGS, process, nullptr, &registers);
}

int watch(pid_t child, Plan& plan) {
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status) || ::ptrace(PTRACE_SETOPTIONS, child, nullptr,
                                      PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                                          PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL) != 0) {
    return kNoTracing;
  }
  ::ptrace(PTRACE_CONT, child, nullptr, nullptr);
  while (true) {
    const pid_t process = ::waitpid(-1, &status, __WALL);
    if (process < 0) {
      return kNoTracing;
    }
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (process == child) {
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      continue;
    }
    const int event = status >> 16;
    // A new thread begins with a stop of its own; other signals are the program's.
    long signal =
        event != 0 || WSTOPSIG(status) == SIGSTOP || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    if (event == PTRACE_EVENT_SECCOMP) {
      meet(process, plan);
    }
    ::ptrace(PTRACE_CONT, process, nullptr, signal);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr, "fault_tracer FOLDER REPORT AT KIND MODE COMMAND...\n");
    return 2;
  }
  Plan plan{argv[1], argv[2], std::atol(argv[3]), argv[4], std::strcmp(argv[5], "once") == 0, 0};
  const pid_t child = ::fork();
  if (child == 0) {
    become(argv + 6);
  }
  const int code = child < 0 ? kNoTracing : watch(child, plan);
  if (std::FILE* file = std::fopen(plan.report.c_str(), "w")) {
    std::fprintf(file, "%ld\n", plan.calls);
    std::fclose(file);
  }
  return code;
}
