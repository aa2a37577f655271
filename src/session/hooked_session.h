// The hot path: hooks around one run of the raw session.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "fermata/session_run_hook.h"
#include "session/merged_request.h"
#include "session/named_hooks.h"

namespace fermata {

// Drives hooks around runs of one raw session (contract HOOK-14: it makes only the calls around a run). Plans
// are kept by the identities of the requests, so a step in which nobody changed anything compares a few
// numbers and allocates nothing. Threads: one at a time.
class HookedSession {
 public:
  // Both must outlive it.
  HookedSession(Session& session, const std::vector<NamedHook>& hooks);
  ~HookedSession();

  // Throws what a hook or the run threw; then no stop request of this run counts (contract RUN-13).
  ResultsView run(const SessionRunArgs& args);
  ResultsView run_without_hooks(const SessionRunArgs& args);

  // The first stop that a hook requested in a run that succeeded.
  [[nodiscard]] const std::optional<StopRequest>& stop() const noexcept { return stop_; }
  // The step after the last run.
  [[nodiscard]] const std::optional<Step>& step() const noexcept { return values_.step_; }
  void set_step(std::optional<Step> step) noexcept { values_.step_ = step; }
  // What the contexts of the runs hand to the hooks.
  void set_stop_token(std::stop_token token) noexcept {
    stop_token_ = std::move(token);
    context_.stop_token_ = &stop_token_;
  }

 private:
  struct Plan;

  inline bool call_before_run(const SessionRunArgs& args);
  inline void call_after_run(const Plan& plan);
  void check_feeds(std::size_t last) const;
  Plan& find_plan(std::vector<std::unique_ptr<Plan>>& plans);
  Plan& make_plan(std::vector<std::unique_ptr<Plan>>& plans);
  [[gnu::always_inline]] inline void execute(Plan& plan);
  void run_with_options(Plan& plan, std::span<const Tensor* const> feeds);

  Session& session_;
  std::vector<SessionRunHook*> hooks_;
  // Whether the graph has a step, which then comes with each run.
  bool has_step_;
  std::optional<StopRequest> stop_;
  std::stop_token stop_token_;
  // The requests of the run under way: the caller first, then the hooks in their order.
  std::vector<Participant> participants_;
  std::vector<std::unique_ptr<Plan>> plans_;
  std::vector<std::unique_ptr<Plan>> plans_without_hooks_;
  Plan* last_ = nullptr;
  std::vector<const Tensor*> feed_values_;
  RunMetadata metadata_;
  // Filled anew for each run; `values_` keeps the step until then.
  SessionRunContext context_;
  SessionRunValues values_;
};

}  // namespace fermata
