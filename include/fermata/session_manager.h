// Brings sessions to the point where they can train: restores or initialises them, or waits until somebody
// else has.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/graph.h"
#include "fermata/saver.h"
#include "fermata/session.h"
#include "fermata/session_run_args.h"
#include "fermata/tensor.h"

namespace fermata {

// A session that is ready, and how it became so.
struct CreatedSession {
  std::unique_ptr<Session> session;
  // The checkpoint it was restored from; empty: initialised anew.
  std::string restored_from;
  // Sentences for the verdict: damaged checkpoints that were passed over, variables that a warm start lacked.
  std::vector<std::string> notes;
};

// Each function makes a session of the graph. One that does not become ready is closed before the error
// leaves. Waits end by a stop request or a watched signal (StopOnSignal) with Interrupted, and name what they
// waited for. Threads: one at a time.
class FERMATA_API SessionManager {
 public:
  using FeedList = std::vector<std::pair<std::string, Tensor>>;

  struct Options {
    // Operations of one run that initialises what is local to a session.
    std::vector<Fetch> local_init_op;
    FeedList local_init_feed_dict;
    std::optional<RunOptions> local_init_run_options;
    // Says what is not initialised, as a list of names; empty, an integer or an operation means ready.
    std::optional<Fetch> ready_op;
    // The same, asked before local_init_op runs; not without local_init_op.
    std::optional<Fetch> ready_for_local_init_op;
    // Between two looks, at a checkpoint or at a session of somebody else's.
    std::chrono::nanoseconds recovery_wait = std::chrono::seconds(30);
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  // Throws: Error kInvalidArgument for ready_for_local_init_op without local_init_op.
  explicit SessionManager(Graph& graph);
  SessionManager(Graph& graph, Options options);
  ~SessionManager();

  struct PrepareOptions {
    // Run if nothing was restored: the operations in one run, then the function.
    std::vector<Fetch> init_op;
    FeedList init_feed_dict;
    std::function<void(Session&)> init_fn;
    // Null: nothing is restored.
    std::shared_ptr<Saver> saver;
    // Restores the newest whole checkpoint of this folder, if there is one.
    std::string checkpoint_dir;
    // Restores exactly this one; not together with checkpoint_dir.
    std::string checkpoint_filename_with_path;
    // Waits until checkpoint_dir holds a checkpoint, for at most max_wait in pauses of recovery_wait.
    bool wait_for_checkpoint = false;
    std::chrono::nanoseconds max_wait = std::chrono::hours(2);
    SessionConfig config;
    std::stop_token stop;
  };

  // Restores, or else initialises; then local init; then asks whether all is ready. Throws: Misuse that names
  // what is not initialised, or says that there is nothing to initialise with; Error kInvalidArgument for a
  // folder together with a file; what the engine says.
  [[nodiscard]] CreatedSession prepare_session(const PrepareOptions& options);

  struct RecoverOptions {
    std::shared_ptr<Saver> saver;
    std::string checkpoint_dir;
    std::string checkpoint_filename_with_path;
    bool wait_for_checkpoint = false;
    std::chrono::nanoseconds max_wait = std::chrono::hours(2);
    SessionConfig config;
    std::stop_token stop;
  };

  struct Recovered {
    CreatedSession created;
    // Restored and ready. If not, the session is there all the same, after an attempt at local init.
    bool initialized = false;
    // Why not: no checkpoint, or the names of what is not initialised.
    std::string reason;
  };

  // Restores; never initialises. Throws: as prepare_session, but not for a session that is not ready.
  [[nodiscard]] Recovered recover_session(const RecoverOptions& options);

  struct WaitOptions {
    SessionConfig config;
    // Gives up when not even another recovery_wait is left of it. Absent: waits for ever.
    std::optional<std::chrono::nanoseconds> max_wait;
    std::stop_token stop;
  };

  // Makes a session, tries local init and asks whether it is ready; if it is not, closes it and tries again
  // after recovery_wait, until the chief has initialised the variables. Throws: Error kDeadlineExceeded that
  // names what was not initialised; what the engine says.
  [[nodiscard]] CreatedSession wait_for_session(const WaitOptions& options);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fermata
