// A monitored session that does not recover.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/monitored_session.h"
#include "fermata/scaffold.h"
#include "fermata/session.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// As MonitoredSession with the chief's creator, but (contract SING): a preemption in creation, a run, a step
// function or close comes out as the error it is, and should_stop throws an error that a thread reported
// instead of answering true.
class FERMATA_API SingularMonitoredSession : public MonitoredSession {
 public:
  // Each field as in MonitoredSession::Options and ChiefSessionCreator::Options.
  struct Options {
    std::vector<HookPtr> hooks;
    std::shared_ptr<Scaffold> scaffold;
    // Its `target` is the reference's `master`.
    SessionConfig config;
    std::string checkpoint_dir;
    std::chrono::nanoseconds stop_grace_period = std::chrono::seconds(120);
    std::string checkpoint_filename_with_path;
    std::vector<const SessionRunArgs*> announce;
    std::shared_ptr<Clock> clock;
    bool stop_on_signals = false;
    std::stop_token stop;
  };

  explicit SingularMonitoredSession(Graph& graph);
  SingularMonitoredSession(Graph& graph, Options options);
};

}  // namespace fermata
