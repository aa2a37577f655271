#include "fermata/coordinator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/log_made.h"
#include "fermata/error.h"

namespace fermata {
namespace {

// How long a coordinator that is destroyed waits for threads nobody joined.
constexpr std::chrono::seconds kDestructorGrace{5};

// Longer waits are cut to this, so that a deadline does not overflow the clock.
constexpr std::chrono::hours kLongest{24 * 365};

// What a coordinator takes for a stop without error by itself (contract COORD-1). A StopIteration that nobody
// caught in a thread is no end of its input.
bool is_out_of_range(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const StopIteration&) {
    return false;
  } catch (...) {
    return is_end_of_input(error);
  }
}

}  // namespace

struct Coordinator::Impl {
  struct Member {
    std::string name;
    bool running = true;
    std::thread thread;  // empty for one that was made elsewhere
  };
  // By numbers that grow, so that those of a moment are the ones below a number.
  using Members = std::map<std::uint64_t, Member>;

  std::function<bool(const std::exception_ptr&)> clean_stop;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> stop{false};
  std::stop_source stop_source;
  bool joined = false;
  std::exception_ptr error;
  std::optional<StopRequest> request;
  std::vector<std::string> later_errors;
  std::uint64_t next_member = 0;
  Members members;

  void note_end(std::uint64_t id) {
    const std::lock_guard lock(mutex);
    if (const auto found = members.find(id); found != members.end()) {
      found->second.running = false;
    }
    changed.notify_all();
  }

  [[nodiscard]] bool any_running_below(std::uint64_t end) const {
    return std::any_of(members.begin(), members.lower_bound(end),
                       [](const auto& member) { return member.second.running; });
  }

  // Waits as join does for the members of now, and takes them out. Those that ended are joined, the others
  // come back. Without any memory of its own: it is part of the way out of a program that has none left.
  Members join(std::chrono::nanoseconds grace) {
    Members ended;
    Members running;
    {
      std::unique_lock lock(mutex);
      const std::uint64_t end = next_member;
      changed.wait(lock, [&] { return stop.load() || !any_running_below(end); });
      const auto bounded = std::min<std::chrono::nanoseconds>(grace, kLongest);
      changed.wait_for(lock, bounded, [&] { return !any_running_below(end); });
      while (!members.empty() && members.begin()->first < end) {
        auto member = members.extract(members.begin());
        (member.mapped().running ? running : ended).insert(std::move(member));
      }
      joined = true;
    }
    for (auto& [id, member] : ended) {
      if (member.thread.joinable()) {
        member.thread.join();
      }
    }
    for (auto& [id, member] : running) {
      if (member.thread.joinable()) {
        member.thread.detach();
      }
    }
    return running;
  }

  static std::string names_of(const Members& members) {
    std::vector<std::string> names;
    for (const auto& [id, member] : members) {
      names.push_back(member.name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  // The stop itself; returns an error that must be thrown in the caller.
  std::exception_ptr request_stop(const std::exception_ptr& failure) {
    const bool counts = failure && !clean_stop(failure);
    bool first = false;
    std::stop_source waiting{std::nostopstate};
    {
      const std::lock_guard lock(mutex);
      if (joined && counts) {
        return failure;
      }
      first = !stop.load();
      if (first) {
        error = counts ? failure : nullptr;
        stop.store(true);
      } else if (counts) {
        note_later(failure);
      }
      waiting = stop_source;
      changed.notify_all();
    }
    // Without the lock: who waits may ask this coordinator.
    waiting.request_stop();
    if (counts) {
      log_made(first ? LogLevel::kInfo : LogLevel::kWarning, [&] {
        return fmt::format("{} was reported to the coordinator: {}",
                           first ? "an error" : "after the stop another error", describe(failure));
      });
    }
    return nullptr;
  }

  void note_later(const std::exception_ptr& failure) noexcept {
    try {
      later_errors.push_back(describe(failure));
    } catch (...) {  // NOLINT(bugprone-empty-catch): there is no memory for it, and the first one counts
    }
  }

  void run_guarded(const std::function<void()>& body) {
    try {
      body();
    } catch (...) {
      if (const std::exception_ptr thrown = request_stop(std::current_exception())) {
        std::rethrow_exception(thrown);
      }
    }
  }
};

Coordinator::Coordinator() : Coordinator(Options{}) {}

Coordinator::Coordinator(Options options) : impl_(std::make_shared<Impl>()), stop_(&impl_->stop) {
  impl_->clean_stop = options.clean_stop ? std::move(options.clean_stop) : is_out_of_range;
}

Coordinator::~Coordinator() {
  impl_->request_stop(nullptr);
  const Impl::Members running = impl_->join(kDestructorGrace);
  if (!running.empty()) {
    log_made(LogLevel::kError,
             [&] { return "a coordinator is gone while threads still run: " + Impl::names_of(running); });
  }
}

void Coordinator::request_stop(std::exception_ptr error) {
  if (const std::exception_ptr thrown = impl_->request_stop(error)) {
    std::rethrow_exception(thrown);
  }
}

void Coordinator::request_stop(StopRequest request) {
  {
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->request && !impl_->stop.load()) {
      impl_->request = std::move(request);
    }
  }
  impl_->request_stop(nullptr);
}

std::stop_token Coordinator::stop_token() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->stop_source.get_token();
}

std::optional<StopRequest> Coordinator::stop_request() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->request;
}

std::exception_ptr Coordinator::error() const noexcept {
  const std::lock_guard lock(impl_->mutex);
  return impl_->error;
}

std::vector<std::string> Coordinator::later_errors() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->later_errors;
}

void Coordinator::raise_requested_exception() const {
  if (const std::exception_ptr recorded = error()) {
    std::rethrow_exception(recorded);
  }
}

void Coordinator::clear_stop() {
  const std::lock_guard lock(impl_->mutex);
  impl_->stop.store(false);
  impl_->stop_source = std::stop_source();
  impl_->joined = false;
  impl_->error = nullptr;
  impl_->request.reset();
  impl_->later_errors.clear();
}

bool Coordinator::wait_for_stop(std::chrono::nanoseconds timeout) {
  std::unique_lock lock(impl_->mutex);
  const auto bounded = std::min<std::chrono::nanoseconds>(timeout, kLongest);
  return impl_->changed.wait_for(lock, bounded, [this] { return impl_->stop.load(); });
}

void Coordinator::wait_for_stop() {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait(lock, [this] { return impl_->stop.load(); });
}

void Coordinator::stop_on_exception(const std::function<void()>& body) { impl_->run_guarded(body); }

void Coordinator::start_thread(std::string name, std::function<void()> body) {
  const std::lock_guard lock(impl_->mutex);
  const std::uint64_t id = impl_->next_member++;
  Impl::Member& member = impl_->members[id];
  member.name = std::move(name);
  try {
    // The thread holds the state, not the coordinator: it may outlive a join that gave up on it.
    member.thread = std::thread([impl = impl_, id, body = std::move(body)] {
      try {
        impl->run_guarded(body);
      } catch (...) {
        log_made(LogLevel::kError, [] {
          return "a thread failed after its coordinator was joined: " + describe(std::current_exception());
        });
      }
      impl->note_end(id);
    });
  } catch (...) {
    impl_->members.erase(id);
    throw;
  }
}

std::function<void()> Coordinator::register_thread(std::string name) {
  const std::lock_guard lock(impl_->mutex);
  const std::uint64_t id = impl_->next_member++;
  impl_->members[id].name = std::move(name);
  return [impl = impl_, id] { impl->note_end(id); };
}

bool Coordinator::joined() const noexcept {
  const std::lock_guard lock(impl_->mutex);
  return impl_->joined;
}

void Coordinator::join(std::chrono::nanoseconds grace, bool ignore_live_threads) {
  const Impl::Members running = impl_->join(grace);
  raise_requested_exception();
  if (running.empty()) {
    return;
  }
  const std::string message =
      fmt::format("threads still running {} s after the stop was requested: {}",
                  std::chrono::duration<double>(grace).count(), Impl::names_of(running));
  if (!ignore_live_threads) {
    throw Misuse(message);
  }
  log(LogLevel::kInfo, message);
}

}  // namespace fermata
