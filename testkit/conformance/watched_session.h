// A session that writes down what is done with it, and fails where the scenario says so.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/watched_graph.h"
#include "fermata/session.h"

namespace fermata::conformance {

// Threads: as the session inside; lines are written for the main thread only.
class WatchedSession : public Session {
 public:
  // Throws: the fault that the scenario has for this session, or what `open` throws.
  // `of_server`: closing it leaves the session inside open, since a server keeps its variables.
  WatchedSession(WatchedGraph& graph, const std::function<std::shared_ptr<Session>()>& open,
                 bool of_server = false);
  ~WatchedSession() override;

  // The same session under the same name, for somebody who will close it: it stays open.
  [[nodiscard]] std::unique_ptr<WatchedSession> lend();

  // "S1".
  [[nodiscard]] const std::string& label() const noexcept { return label_; }
  // The step as it is now, without a trace: a number, "uninitialized", "closed"; null for a graph without.
  [[nodiscard]] Json peek();
  // " step=3"; empty for a graph without a step.
  [[nodiscard]] std::string step_words();
  void set_step(Step step);
  // The session without the watch.
  [[nodiscard]] Session& unseen() noexcept { return *inner_; }

  [[nodiscard]] Graph& graph() const override { return graph_; }
  [[nodiscard]] std::unique_ptr<StepPlan> prepare(const PlanRequest& request) override;
  void close() override;
  [[nodiscard]] bool closed() const noexcept override { return closed_ || inner_->closed(); }
  [[nodiscard]] Step read_step() override;
  void save_variables(const SaverDef& saver, const std::string& prefix) override;
  void restore_variables(const SaverDef& saver, const std::string& prefix) override;
  std::vector<std::string> restore_available(const SaverDef& saver, const std::string& prefix) override;
  void save_state(HookState& state) const override { inner_->save_state(state); }
  void load_state(const HookState& state) override { inner_->load_state(state); }
  [[nodiscard]] Executor executor() const noexcept override { return inner_->executor(); }

 private:
  friend class WatchedPlan;
  WatchedSession(const WatchedSession& lender);
  // What a raw run is called in the trace.
  [[nodiscard]] std::string name_of(const PlanRequest& request) const;
  // Runs `body` as a raw run of that name; `body` returns what is said after the name.
  void raw(const std::string& what, const std::function<std::string()>& body);
  [[nodiscard]] bool watching() const;

  WatchedGraph& graph_;
  World& world_;
  std::string label_;
  std::shared_ptr<Session> inner_;
  bool lent_ = false;
  bool of_server_ = false;
  bool closed_ = false;
  // Closes the session inside, unless it is that of a server.
  void close_inner();
  bool close_was_called_ = false;
};

// "S1" for a session of a scenario, "null" for none.
[[nodiscard]] std::string label_of(Session* session);
// "S1 step=3", "S1", "null".
[[nodiscard]] std::string where(Session* session);

}  // namespace fermata::conformance
