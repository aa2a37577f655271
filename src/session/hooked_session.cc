#include "session/hooked_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>

#include "fermata/error.h"
#include "fermata/log.h"

namespace fermata {
namespace {

constexpr std::string_view kCaller = "the caller";

// Combinations that are kept; the one made first makes room. Far more than hooks have in use at a time.
constexpr std::size_t kKeptPlans = 128;

bool wants_metadata(const RunOptions& options) noexcept {
  return options.trace_level != TraceLevel::kNoTrace || options.output_partition_graphs ||
         !options.serialized.empty();
}

bool feeds(const Participant& participant) {
  return participant.args != nullptr && !participant.args->feeds().empty();
}

}  // namespace

HookedSession::HookedSession(Session& session, const std::vector<NamedHook>& hooks)
    : session_(session), has_hooks_(!hooks.empty()) {
  participants_.push_back({nullptr, kCaller});
  for (const NamedHook& hook : hooks) {
    hook.hook->wake_up();
    participants_.push_back({nullptr, hook.name, hook.hook.get()});
  }
  awake_.reserve(participants_.size());
  choose_awake(kFirstStep);
  context_.session_ = &session_;
}

HookedSession::~HookedSession() = default;

const ResultsView& HookedSession::run_without_hooks(const SessionRunArgs& args) {
  const Participant caller{&args, kCaller, nullptr, args.id()};
  Plan& plan = find_plan(plans_without_hooks_, {&caller, 1});
  execute(plan, &caller);
  return plan.results.front();
}

void HookedSession::choose_awake(Step step) {
  awake_.clear();
  next_wake_ = kEverybody;
  for (Participant& participant : std::span(participants_).subspan(1)) {
    if (participant.hook->wakes_at_ <= step) {
      awake_.push_back(&participant);
    } else {
      take(participant, nullptr);
      next_wake_ = std::min(next_wake_, participant.hook->wakes_at_);
    }
  }
}

// In a graph without a step this is asked for in each run.
void HookedSession::wake_sleepers(Step step) {
  const bool anybody_sleeps = awake_.size() + 1 < participants_.size();
  if (anybody_sleeps) {
    choose_awake(step);
  }
}

// Two hooks that feed one tensor are found at the second one, before later hooks are asked (contract RUN-5).
void HookedSession::check_feeds(const Participant& last) const {
  const Participants hooks(participants_.data() + 1, &last + 1);
  if (feeds(last) && std::count_if(hooks.begin(), hooks.end(), feeds) > 1) {
    static_cast<void>(merge(session_.graph(), hooks));
  }
}

void HookedSession::choose_plan() {
  Plan& plan = find_plan(plans_, participants_);
  const RunOptions& options = plan.merged.options;
  values_.options_ = &options;
  values_.run_metadata_ = wants_metadata(options) ? &metadata_ : &no_metadata_;
  for (std::size_t i = 0; i < participants_.size(); ++i) {
    participants_[i].results = &plan.results[i];
  }
  plan_ = &plan;
}

HookedSession::Plan& HookedSession::find_plan(Plans& plans, Participants participants) {
  const auto is_for = [&](const std::unique_ptr<Plan>& plan) {
    return std::equal(plan->key.begin(), plan->key.end(), participants.begin(), participants.end(),
                      [](std::uint64_t id, const Participant& participant) { return id == participant.id; });
  };
  const auto found = std::find_if(plans.begin(), plans.end(), is_for);
  return found != plans.end() ? **found : make_plan(plans, participants);
}

HookedSession::Plan& HookedSession::make_plan(Plans& plans, Participants participants) {
  auto plan = std::make_unique<Plan>();
  std::transform(participants.begin(), participants.end(), std::back_inserter(plan->key),
                 [](const Participant& participant) { return participant.id; });
  plan->merged = merge(session_.graph(), participants);
  plan->merged.plan.read_step = session_.graph().has_global_step();
  plan->has_extras = plan->merged.has_options || !plan->merged.feeds.empty();
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
    plans.erase(plans.begin());
  }
  plans.push_back(std::move(plan));
  feed_values_.reserve(plans.back()->merged.feeds.size());
  return *plans.back();
}

void HookedSession::run_with_extras(Plan& plan, const Participant* participants) {
  feed_values_.clear();
  for (const FeedSource& source : plan.merged.feeds) {
    feed_values_.push_back(&participants[source.participant].args->feeds()[source.feed].value);
  }
  if (!plan.merged.has_options) {
    plan.plan->run(feed_values_, nullptr, *plan.outputs, nullptr);
    return;
  }
  const RunOptions& options = plan.merged.options;
  metadata_.serialized.clear();
  plan.plan->run(feed_values_, &options, *plan.outputs, wants_metadata(options) ? &metadata_ : nullptr);
}

void HookedSession::fail_run() {
  session_.set_in_doubt(!is_end_of_input(std::current_exception()));
  throw;
}

void HookedSession::keep_stop() {
  if (!stop_) {
    stop_ = std::move(context_.stop_);
  }
}

}  // namespace fermata
