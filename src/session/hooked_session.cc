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

// Copying an optional as a whole right after it was written in two parts makes the processor wait.
void set(std::optional<Step>& to, const std::optional<Step>& from) noexcept {
  if (from) {
    to.emplace(*from);
  } else {
    to.reset();
  }
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
  // What each participant gets to see; the outputs stay where they are from run to run.
  std::vector<ResultsView> results;
};

HookedSession::HookedSession(Session& session, const std::vector<NamedHook>& hooks)
    : session_(session), has_step_(session.graph().has_global_step()) {
  participants_.push_back({nullptr, "the caller"});
  for (const NamedHook& hook : hooks) {
    hooks_.push_back(hook.hook.get());
    participants_.push_back({nullptr, hook.name});
  }
  context_.session_ = &session_;
  values_.run_metadata_ = &metadata_;
}

HookedSession::~HookedSession() = default;

// True if every request is the one of the plan that was used last.
inline bool HookedSession::call_before_run(const SessionRunArgs& args) {
  participants_.front().args = &args;
  bool same = last_ != nullptr && last_->key.front() == args.id();
  const std::uint64_t* key = last_ == nullptr ? nullptr : last_->key.data();
  Participant* participant = participants_.data();
  for (SessionRunHook* const hook : hooks_) {
    ++participant;
    context_.current_name_ = participant->name;
    participant->args = hook->before_run(context_);
    same = same && *++key == id_of(*participant);
    if (!same) [[unlikely]] {
      check_feeds(static_cast<std::size_t>(participant - participants_.data()));
    }
  }
  return same;
}

// Two hooks that feed one tensor are found at the second one, before later hooks are asked (contract RUN-5).
void HookedSession::check_feeds(std::size_t last) const {
  const std::span hooks = std::span(participants_).subspan(1, last);
  const auto feeds = [](const Participant& hook) {
    return hook.args != nullptr && !hook.args->feeds().empty();
  };
  if (feeds(hooks.back()) && std::count_if(hooks.begin(), hooks.end(), feeds) > 1) {
    static_cast<void>(merge(session_.graph(), hooks));
  }
}

inline void HookedSession::call_after_run(const Plan& plan) {
  values_.options_ = &plan.merged.options;
  const Participant* participant = participants_.data();
  const ResultsView* results = plan.results.data();
  for (SessionRunHook* const hook : hooks_) {
    context_.current_name_ = (++participant)->name;
    values_.results_ = ++results;
    hook->after_run(context_, values_);
  }
}

inline void HookedSession::execute(Plan& plan) {
  if (!plan.merged.feeds.empty()) {
    feed_values_.clear();
    for (const FeedSource& source : plan.merged.feeds) {
      feed_values_.push_back(&participants_[source.participant].args->feeds()[source.feed].value);
    }
  }
  const std::span<const Tensor* const> feeds(feed_values_.data(), plan.merged.feeds.size());
  if (!metadata_.serialized.empty()) [[unlikely]] {
    metadata_.serialized.clear();
  }
  try {
    if (plan.merged.has_options) [[unlikely]] {
      run_with_options(plan, feeds);
    } else {
      plan.plan->run(feeds, nullptr, *plan.outputs, nullptr);
    }
  } catch (...) {
    session_.set_in_doubt(!is_end_of_input(std::current_exception()));
    throw;
  }
  session_.set_in_doubt(false);
  if (has_step_) {
    set(values_.step_, plan.outputs->step);
  }
}

ResultsView HookedSession::run(const SessionRunArgs& args) {
  context_.original_args_ = &args;
  context_.stop_.reset();
  set(context_.step_, values_.step_);
  const bool same = call_before_run(args);
  Plan& plan = same ? *last_ : find_plan(plans_);
  last_ = &plan;
  execute(plan);
  call_after_run(plan);
  if (context_.stop_ && !stop_) [[unlikely]] {
    stop_ = std::move(context_.stop_);
  }
  return plan.results.front();
}

ResultsView HookedSession::run_without_hooks(const SessionRunArgs& args) {
  for (Participant& participant : participants_) {
    participant.args = nullptr;
  }
  participants_.front().args = &args;
  Plan& plan = find_plan(plans_without_hooks_);
  execute(plan);
  return plan.results.front();
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
  for (const std::vector<std::int32_t>& places : plan->merged.places) {
    plan->results.emplace_back(plan->outputs->values.data(), places);
  }
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

void HookedSession::run_with_options(Plan& plan, std::span<const Tensor* const> feeds) {
  const RunOptions& options = plan.merged.options;
  plan.plan->run(feeds, &options, *plan.outputs, wants_metadata(options) ? &metadata_ : nullptr);
}

}  // namespace fermata
