// Makes sessions that are ready to train.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fermata/export.h"
#include "fermata/scaffold.h"
#include "fermata/session.h"

namespace fermata {

// What a creator made, and how.
struct CreatedSession {
  std::unique_ptr<Session> session;
  // The checkpoint it was restored from; empty: initialised anew.
  std::string restored_from;
  // Sentences for the verdict: damaged checkpoints that were passed over, variables that a warm start lacked.
  std::vector<std::string> notes;
};

using AnnouncedPlans = std::function<std::vector<PlanRequest>()>;

// Called once for each session, also by recovery. Threads: one at a time.
class FERMATA_API SessionCreator {
 public:
  virtual ~SessionCreator();
  // `announced` is called once all operations of the graph are there, and gives the plans to prepare the
  // graph for. Throws: Error.
  [[nodiscard]] virtual CreatedSession create_session(const AnnouncedPlans& announced) = 0;
  // The graph its sessions run.
  [[nodiscard]] virtual Graph& graph() const = 0;
};

// Finalizes the scaffold, opens a session, restores the newest whole checkpoint or initialises, runs local
// init and checks that all is ready. A session that does not become ready is closed before the error leaves.
class FERMATA_API ChiefSessionCreator : public SessionCreator {
 public:
  struct Options {
    // Null: a default one.
    std::shared_ptr<Scaffold> scaffold;
    SessionConfig config;
    // Restores from the newest checkpoint here; empty: does not.
    std::string checkpoint_dir;
    // Restores exactly this checkpoint; not together with checkpoint_dir.
    std::string checkpoint_filename_with_path;
    // Where checkpoint_dir holds none: start from this checkpoint after initialising; variables that it lacks
    // keep their initial values and are named in the notes.
    std::string warm_start_from;
  };

  explicit ChiefSessionCreator(Graph& graph);
  ChiefSessionCreator(Graph& graph, Options options);
  ~ChiefSessionCreator() override;
  [[nodiscard]] CreatedSession create_session(const AnnouncedPlans& announced) override;
  [[nodiscard]] Graph& graph() const override;
  [[nodiscard]] const std::shared_ptr<Scaffold>& scaffold() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fermata
