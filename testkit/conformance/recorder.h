// The hook and the listener that write the trace.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/fetch_tree.h"
#include "conformance/world.h"
#include "fermata/hooks/checkpoint_saver_hook.h"
#include "fermata/session_run_hook.h"

namespace fermata::conformance {

// Adds an operation as the engine can. Throws: Misuse if the graph is finalized.
void add_an_operation(Graph& graph, const std::string& name);

// What a recorder does in which call of which callback.
class Script {
 public:
  Script(World& world, const Json& spec);

  struct Call {
    std::vector<std::string> words;
    SessionRunContext* context = nullptr;
    Session* session = nullptr;
  };
  // Writes the line, then acts. Returns whether an action asked to stop (listeners).
  bool report(const std::string& callback, const Call& call);

 private:
  [[nodiscard]] std::vector<Json> due(const std::string& callback);
  void act(const Json& action, const Call& call);

  World& world_;
  Json spec_;
  std::map<std::string, std::int64_t> calls_;
};

class RecorderHook : public SessionRunHook {
 public:
  RecorderHook(World& world, const Json& spec);

  [[nodiscard]] std::string name() const override;
  void begin(Graph& graph) override;
  void after_create_session(Session& session, Coordinator* coordinator) override;
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;

 private:
  World& world_;
  Json spec_;
  Script script_;
  std::optional<FetchTree> fetches_;
  std::optional<SessionRunArgs> args_;
};

class RecorderListener : public CheckpointSaverListener {
 public:
  RecorderListener(World& world, const Json& spec);
  void begin() override;
  void before_save(Session& session, Step step) override;
  bool after_save(Session& session, Step step) override;
  void end(Session& session, Step step) override;

 private:
  Script script_;
};

// Stands before and behind all other hooks: shows the session's coordinator to the runner, and, behind them,
// says that the next run is the one with hooks.
class WatchHook : public SessionRunHook {
 public:
  WatchHook(World& world, bool last) : world_(world), last_(last) {}
  [[nodiscard]] std::string name() const override { return last_ ? "the runner" : "the runner's first"; }
  void after_create_session(Session& session, Coordinator* coordinator) override;
  [[nodiscard]] const SessionRunArgs* before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;

 private:
  World& world_;
  bool last_;
};

}  // namespace fermata::conformance
