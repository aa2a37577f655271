#include "session/hooked_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "fermata/error.h"
#include "fermata/log.h"

namespace fermata {
namespace {

// Combinations that are kept; the one made first makes room. Far more than hooks have in use at a time.
constexpr std::size_t kKeptPlans = 128;

std::uint64_t id_of(const Participant& participant) noexcept {
  return participant.args == nullptr ? 0 : participant.args->id();
}

bool wants_metadata(const RunOptions& options) noexcept {
  return options.trace_level != TraceLevel::kNoTrace || options.output_partition_graphs ||
         !options.serialized.empty();
}

}  // namespace

struct HookedSession::Plan {
  // Identity of each participant's request, 0 for none.
  std::vector<std::uint64_t> key;
  MergedRequest merged;
  std::unique_ptr<StepPlan> plan;
  std::unique_ptr<StepOutputs> outputs;
};

HookedSession::HookedSession(Session& session, const std::vector<NamedHook>& hooks)
    : session_(session), hooks_(hooks), has_step_(session.graph().has_global_step()) {
  participants_.push_back({nullptr, "the caller"});
  for (const NamedHook& hook : hooks_) {
    participants_.push_back({nullptr, hook.name});
  }
}

HookedSession::~HookedSession() = default;

ResultsView HookedSession::run(const SessionRunArgs& args) {
  SessionRunContext context;
  context.original_args_ = &args;
  context.session_ = &session_;
  context.step_ = step_;
  context.stop_token_ = &stop_token_;
  const bool same = call_before_run(context, args);
  Plan& plan = same ? *last_ : find_plan(plans_);
  last_ = &plan;
  execute(plan);
  call_after_run(context, plan);
  if (context.stop_ && !stop_) {
    stop_ = std::move(context.stop_);
  }
  return {plan.outputs->values.data(), plan.merged.places.front()};
}

ResultsView HookedSession::run_without_hooks(const SessionRunArgs& args) {
  for (Participant& participant : participants_) {
    participant.args = nullptr;
  }
  participants_.front().args = &args;
  Plan& plan = find_plan(plans_without_hooks_);
  execute(plan);
  return {plan.outputs->values.data(), plan.merged.places.front()};
}

// True if every request is the one of the plan that was used last.
bool HookedSession::call_before_run(SessionRunContext& context, const SessionRunArgs& args) {
  participants_.front().args = &args;
  bool same = last_ != nullptr && last_->key.front() == args.id();
  int feeding_hooks = 0;
  for (std::size_t i = 0; i < hooks_.size(); ++i) {
    Participant& participant = participants_[i + 1];
    context.current_name_ = participant.name;
    participant.args = hooks_[i].hook->before_run(context);
    same = same && last_->key[i + 1] == id_of(participant);
    feeding_hooks += participant.args != nullptr && !participant.args->feeds().empty() ? 1 : 0;
    if (!same && feeding_hooks > 1) {
      check_feeds(i + 1);
    }
  }
  return same;
}

// Two hooks that feed one tensor are found at the second one, before later hooks are asked (contract RUN-5).
void HookedSession::check_feeds(std::size_t upto) const {
  static_cast<void>(merge(session_.graph(), std::span(participants_).subspan(1, upto)));
}

void HookedSession::call_after_run(SessionRunContext& context, const Plan& plan) {
  SessionRunValues values;
  values.step_ = step_;
  values.options_ = &plan.merged.options;
  values.run_metadata_ = &metadata_;
  for (std::size_t i = 0; i < hooks_.size(); ++i) {
    context.current_name_ = participants_[i + 1].name;
    values.results_ = ResultsView(plan.outputs->values.data(), plan.merged.places[i + 1]);
    hooks_[i].hook->after_run(context, values);
  }
}

HookedSession::Plan& HookedSession::find_plan(std::vector<std::unique_ptr<Plan>>& plans) {
  for (const std::unique_ptr<Plan>& plan : plans) {
    const bool equal =
        std::equal(plan->key.begin(), plan->key.end(), participants_.begin(), participants_.end(),
                   [](std::uint64_t id, const Participant& p) { return id == id_of(p); });
    if (equal) {
      return *plan;
    }
  }
  return make_plan(plans);
}

HookedSession::Plan& HookedSession::make_plan(std::vector<std::unique_ptr<Plan>>& plans) {
  auto plan = std::make_unique<Plan>();
  std::transform(participants_.begin(), participants_.end(), std::back_inserter(plan->key), id_of);
  plan->merged = merge(session_.graph(), participants_);
  plan->merged.plan.read_step = has_step_;
  plan->plan = session_.prepare(plan->merged.plan);
  plan->outputs = plan->plan->make_outputs();
  if (plans.size() == kKeptPlans) {
    log(LogLevel::kWarning,
        fmt::format(
            "more than {} combinations of requests were run, and each costs its preparation; keep the "
            "SessionRunArgs and set their feeds instead of making new ones",
            kKeptPlans));
    last_ = last_ == plans.front().get() ? nullptr : last_;
    plans.erase(plans.begin());
  }
  plans.push_back(std::move(plan));
  feed_values_.reserve(plans.back()->merged.feeds.size());
  return *plans.back();
}

void HookedSession::execute(Plan& plan) {
  feed_values_.clear();
  for (const FeedSource& source : plan.merged.feeds) {
    feed_values_.push_back(&participants_[source.participant].args->feeds()[source.feed].value);
  }
  const bool with_metadata = plan.merged.has_options && wants_metadata(plan.merged.options);
  metadata_.serialized.clear();
  try {
    plan.plan->run(feed_values_, plan.merged.has_options ? &plan.merged.options : nullptr, *plan.outputs,
                   with_metadata ? &metadata_ : nullptr);
  } catch (...) {
    session_.set_in_doubt(!is_end_of_input(std::current_exception()));
    throw;
  }
  session_.set_in_doubt(false);
  if (has_step_) {
    step_ = plan.outputs->step;
  }
}

}  // namespace fermata
