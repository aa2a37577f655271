#include "fermata/session_manager.h"

#include <fmt/format.h>

#include <utility>

#include "coordination/interruptible_wait.h"
#include "core/log_made.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "session/session_readiness.h"

namespace fermata {
namespace {

constexpr std::chrono::minutes kLongestSave{10};

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

// Where a session starts from.
struct Source {
  const std::shared_ptr<Saver>& saver;
  const std::string& dir;
  const std::string& file;
  bool wait;
  std::chrono::nanoseconds max_wait;
  const std::stop_token& stop;
};

template <typename Options>
Source source_of(const Options& options) {
  return {options.saver,
          options.checkpoint_dir,
          options.checkpoint_filename_with_path,
          options.wait_for_checkpoint,
          options.max_wait,
          options.stop};
}

// The newest whole checkpoint of the folder; empty if there is none. Damaged ones go to the notes.
std::string newest_checkpoint(const Source& source, CreatedSession& created) {
  std::vector<std::string> damaged;
  const std::optional<std::string> newest =
      newest_whole_checkpoint(source.dir, &damaged, source.saver->verify_checksums());
  for (const std::string& sentence : damaged) {
    created.notes.push_back("a damaged checkpoint was passed over: " + sentence);
    log(LogLevel::kWarning, created.notes.back());
  }
  return newest.value_or("");
}

// A session that is of no use to anybody; an error of its close would hide the cause.
void close_quietly(Session& session) noexcept {
  try {
    session.close();
  } catch (...) {
    log_made(LogLevel::kWarning, [] {
      return "a session that did not become ready failed to close: " + describe(std::current_exception());
    });
  }
}

}  // namespace

struct SessionManager::Impl {
  Graph& graph;
  Options options;

  // Opens a session and lets `body` bring it to life; closes it if that fails.
  template <typename Body>
  CreatedSession with_session(const SessionConfig& config, const Body& body) {
    CreatedSession created;
    created.session = graph.create_session(config);
    try {
      body(created);
    } catch (...) {
      close_quietly(*created.session);
      throw;
    }
    return created;
  }

  // --- restoring
  // -----------------------------------------------------------------------------------------------------

  void restore(const Source& source, CreatedSession& created) {
    if (!source.dir.empty() && !source.file.empty()) {
      throw Error(Code::kInvalidArgument,
                  fmt::format("checkpoint_dir '{}' and checkpoint_filename_with_path '{}' were both given; "
                              "give one",
                              source.dir, source.file));
    }
    const std::string prefix = source.saver ? find_checkpoint(source, created) : std::string();
    if (prefix.empty()) {
      return;
    }
    run_ops(*created.session, saved_model_initializers());
    source.saver->restore(*created.session, prefix);
    created.restored_from = prefix;
    if (const auto state = source.dir.empty() ? std::nullopt : get_checkpoint_state(source.dir)) {
      source.saver->recover_last_checkpoints(state->all_model_checkpoint_paths);
    }
  }

  std::string find_checkpoint(const Source& source, CreatedSession& created) {
    if (source.dir.empty()) {
      return source.file;
    }
    // A save of the session before may still be on its way; once committed it is the one to go on from.
    if (!source.saver->wait(kLongestSave)) {
      log(LogLevel::kError,
          "a save of the session before is still being written; an older checkpoint is used");
    }
    std::string found = newest_checkpoint(source, created);
    // Pauses alone are counted, as the reference does.
    std::chrono::nanoseconds waited{0};
    while (found.empty() && source.wait && waited < source.max_wait) {
      log(LogLevel::kInfo, fmt::format("waiting for a checkpoint in {}", source.dir));
      if (interruptible_wait(*options.clock, options.recovery_wait, source.stop)) {
        throw Interrupted(
            fmt::format("a stop was requested while a session waited for a checkpoint in {}", source.dir));
      }
      waited += options.recovery_wait;
      found = newest_checkpoint(source, created);
    }
    return found;
  }

  // What a SavedModel must run before its variables are restored.
  [[nodiscard]] std::vector<Fetch> saved_model_initializers() const {
    const std::vector<std::string> names = graph.collection(collections::kSavedModelInitializers);
    return {names.begin(), names.end()};
  }

  // --- becoming ready
  // -----------------------------------------------------------------------------------------------------

  static void initialize(const PrepareOptions& from, bool local_init, Session& session) {
    if (from.init_op.empty() && !from.init_fn && !local_init) {
      throw Misuse(
          "nothing was restored and there is no init_op, no init_fn and no local_init_op; give one of them "
          "or "
          "a checkpoint");
    }
    run_ops(session, from.init_op, from.init_feed_dict);
    if (from.init_fn) {
      from.init_fn(session);
    }
  }

  // Why local init could not be run; nothing once it was, or if there is none.
  std::optional<std::string> run_local_init(Session& session) {
    if (options.local_init_op.empty()) {
      return std::nullopt;
    }
    if (auto reason = why_not_ready(session, options.ready_for_local_init_op)) {
      return reason;
    }
    run_ops(session, options.local_init_op, options.local_init_feed_dict, options.local_init_run_options);
    return std::nullopt;
  }

  // One attempt of somebody who waits.
  std::optional<std::string> why_not_usable(Session& session) {
    if (auto reason = run_local_init(session)) {
      return reason;
    }
    return why_not_ready(session, options.ready_op);
  }
};

SessionManager::SessionManager(Graph& graph) : SessionManager(graph, Options{}) {}

SessionManager::SessionManager(Graph& graph, Options options)
    : impl_(std::make_unique<Impl>(Impl{graph, std::move(options)})) {
  if (!impl_->options.clock) {
    impl_->options.clock = Clock::system();
  }
  if (impl_->options.ready_for_local_init_op && impl_->options.local_init_op.empty()) {
    throw Error(Code::kInvalidArgument,
                fmt::format("SessionManager: ready_for_local_init_op '{}' was given without a local_init_op "
                            "that could wait for it; give both or none",
                            impl_->options.ready_for_local_init_op->name()));
  }
}

SessionManager::~SessionManager() = default;

CreatedSession SessionManager::prepare_session(const PrepareOptions& options) {
  return impl_->with_session(options.config, [&](CreatedSession& created) {
    Session& session = *created.session;
    impl_->restore(source_of(options), created);
    if (created.restored_from.empty()) {
      Impl::initialize(options, !impl_->options.local_init_op.empty(), session);
    }
    if (const auto reason = impl_->run_local_init(session)) {
      throw Misuse(fmt::format("Init operations did not make the session ready for local_init: {}", *reason));
    }
    if (const auto reason = why_not_ready(session, impl_->options.ready_op)) {
      throw Misuse(fmt::format("Init operations did not make model ready: {}", *reason));
    }
  });
}

SessionManager::Recovered SessionManager::recover_session(const RecoverOptions& options) {
  Recovered recovered;
  recovered.created = impl_->with_session(options.config, [&](CreatedSession& created) {
    impl_->restore(source_of(options), created);
    const std::optional<std::string> not_local = impl_->run_local_init(*created.session);
    if (created.restored_from.empty()) {
      recovered.reason = "no checkpoint was restored";
    } else if (not_local) {
      recovered.reason = *not_local;
    } else {
      recovered.reason = why_not_ready(*created.session, impl_->options.ready_op).value_or("");
    }
  });
  recovered.initialized = recovered.reason.empty();
  if (!recovered.initialized) {
    log(LogLevel::kInfo, fmt::format("the session was not recovered: {}", recovered.reason));
  }
  return recovered;
}

CreatedSession SessionManager::wait_for_session(const WaitOptions& options) {
  Clock& clock = *impl_->options.clock;
  const Clock::TimePoint start = clock.now();
  for (;;) {
    std::optional<std::string> reason;
    CreatedSession created = impl_->with_session(
        options.config, [&](CreatedSession& made) { reason = impl_->why_not_usable(*made.session); });
    if (!reason) {
      return created;
    }
    close_quietly(*created.session);
    if (options.max_wait && *options.max_wait - (clock.now() - start) < impl_->options.recovery_wait) {
      throw Error(Code::kDeadlineExceeded,
                  fmt::format("the session was not ready within {:g} s ({}); the chief initialises the "
                              "variables: see whether it runs and uses the same target '{}'",
                              seconds(*options.max_wait), *reason, options.config.target),
                  ErrorSource::kSystem);
    }
    log(LogLevel::kInfo, fmt::format("waiting for the chief to make the session ready ({})", *reason));
    if (interruptible_wait(clock, impl_->options.recovery_wait, options.stop)) {
      throw Interrupted(
          fmt::format("a stop was requested while a session waited for its chief ({})", *reason));
    }
  }
}

}  // namespace fermata
