// Who makes the sessions that a monitored session runs in.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/graph.h"
#include "fermata/scaffold.h"
#include "fermata/session.h"
#include "fermata/session_manager.h"

namespace fermata {

using AnnouncedPlans = std::function<std::vector<PlanRequest>()>;

// What a creator is asked for.
struct CreationRequest {
  // Called once all operations of the graph are there; gives the plans to prepare the graph for. May be null.
  AnnouncedPlans announced;
  // Ends a wait, with Interrupted.
  std::stop_token stop;
};

// Called once for each session, also by recovery. Threads: one at a time.
class FERMATA_API SessionCreator {
 public:
  virtual ~SessionCreator();
  // Throws: Error.
  [[nodiscard]] virtual CreatedSession create_session(const CreationRequest& request) = 0;
  // The graph its sessions run.
  [[nodiscard]] virtual Graph& graph() const = 0;
};

// Finalizes the scaffold, opens a session, restores the newest whole checkpoint or initialises, runs local
// init and checks that all is ready (SessionManager::prepare_session).
class FERMATA_API ChiefSessionCreator : public SessionCreator {
 public:
  struct Options {
    // Null: a default one.
    std::shared_ptr<Scaffold> scaffold;
    SessionConfig config;
    // Restores from the newest checkpoint here; empty: does not.
    std::string checkpoint_dir;
    // Restores exactly this checkpoint; not together with checkpoint_dir (kInvalidArgument when a session is
    // made).
    std::string checkpoint_filename_with_path;
    // Where checkpoint_dir holds none: start from this checkpoint after initialising; variables that it lacks
    // keep their initial values and are named in the notes.
    std::string warm_start_from;
  };

  explicit ChiefSessionCreator(Graph& graph);
  ChiefSessionCreator(Graph& graph, Options options);
  ~ChiefSessionCreator() override;
  [[nodiscard]] CreatedSession create_session(const CreationRequest& request) override;
  [[nodiscard]] Graph& graph() const override;
  [[nodiscard]] const std::shared_ptr<Scaffold>& scaffold() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Finalizes the scaffold and waits until the chief has initialised the variables
// (SessionManager::wait_for_session). It never restores and never runs init_op or init_fn.
class FERMATA_API WorkerSessionCreator : public SessionCreator {
 public:
  struct Options {
    // Null: a default one.
    std::shared_ptr<Scaffold> scaffold;
    SessionConfig config;
    // Gives up after this long with kDeadlineExceeded; it looks again each `recovery_wait`.
    std::chrono::nanoseconds max_wait = std::chrono::minutes(30);
    std::chrono::nanoseconds recovery_wait = std::chrono::seconds(30);
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  explicit WorkerSessionCreator(Graph& graph);
  WorkerSessionCreator(Graph& graph, Options options);
  ~WorkerSessionCreator() override;
  [[nodiscard]] CreatedSession create_session(const CreationRequest& request) override;
  [[nodiscard]] Graph& graph() const override;
  [[nodiscard]] const std::shared_ptr<Scaffold>& scaffold() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fermata
