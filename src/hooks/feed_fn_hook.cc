#include "fermata/hooks/feed_fn_hook.h"

#include <cstddef>

#include "fermata/error.h"

namespace fermata {

FeedFnHook::FeedFnHook(Options options) : options_(std::move(options)) {
  if (!options_.feed_fn) {
    throw Error(Code::kInvalidArgument,
                "FeedFnHook: feed_fn is missing; give a function that returns what is to be fed");
  }
}

const SessionRunArgs* FeedFnHook::before_run(SessionRunContext& /*context*/) {
  std::vector<std::pair<std::string, Tensor>> feeds = options_.feed_fn();
  if (!fits(feeds)) {
    make_slots(feeds);
  }
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    slots_[i].second.set(std::move(feeds[i].second));
  }
  return feeds.empty() ? nullptr : &args_;
}

bool FeedFnHook::fits(const std::vector<std::pair<std::string, Tensor>>& feeds) const {
  if (feeds.size() != slots_.size()) {
    return false;
  }
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    if (feeds[i].first != slots_[i].first) {
      return false;
    }
  }
  return true;
}

void FeedFnHook::make_slots(const std::vector<std::pair<std::string, Tensor>>& feeds) {
  SessionRunArgs args;
  std::vector<std::pair<std::string, FeedSlot>> slots;
  for (const auto& [name, value] : feeds) {
    slots.emplace_back(name, args.feed(name));
  }
  args_ = std::move(args);
  slots_ = std::move(slots);
}

}  // namespace fermata
