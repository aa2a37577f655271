#include "fermata/session_run_args.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "fermata/error.h"

namespace fermata {
namespace {

// An address would lie: two temporaries can share one. 0 stands for "no request".
std::uint64_t next_id() {
  static std::atomic<std::uint64_t> counter{1};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

struct SessionRunArgs::Impl {
  std::vector<Fetch> fetches;
  std::vector<Feed> feeds;
  std::optional<RunOptions> options;
};

std::string Fetch::name() const {
  return std::visit(
      [](const auto& what) {
        if constexpr (std::is_same_v<std::decay_t<decltype(what)>, std::string>) {
          return what;
        } else {
          return what.name();
        }
      },
      what_);
}

void FeedSlot::set(Tensor value) const {
  if (impl_ == nullptr) {
    throw Misuse("a FeedSlot that comes from no request was set; take one from SessionRunArgs::feed");
  }
  static_cast<SessionRunArgs::Impl*>(impl_)->feeds[index_].value = std::move(value);
}

SessionRunArgs::SessionRunArgs() : impl_(std::make_unique<Impl>()), id_(next_id()) {}
SessionRunArgs::SessionRunArgs(std::initializer_list<Fetch> fetches)
    : SessionRunArgs(std::vector<Fetch>(fetches)) {}
SessionRunArgs::SessionRunArgs(std::vector<Fetch> fetches) : SessionRunArgs() {
  impl_->fetches = std::move(fetches);
}
SessionRunArgs::~SessionRunArgs() = default;
SessionRunArgs::SessionRunArgs(const SessionRunArgs& other)
    : impl_(std::make_unique<Impl>(*other.impl_)), id_(other.id_) {}
SessionRunArgs::SessionRunArgs(SessionRunArgs&& other) noexcept = default;
SessionRunArgs& SessionRunArgs::operator=(SessionRunArgs&& other) noexcept = default;

SessionRunArgs& SessionRunArgs::operator=(const SessionRunArgs& other) {
  if (this != &other) {
    impl_ = std::make_unique<Impl>(*other.impl_);
    id_ = other.id_;
  }
  return *this;
}

std::size_t SessionRunArgs::fetch(Fetch fetch) {
  impl_->fetches.push_back(std::move(fetch));
  id_ = next_id();
  return impl_->fetches.size() - 1;
}

FeedSlot SessionRunArgs::feed(Output tensor, Tensor value) {
  for (const Feed& feed : impl_->feeds) {
    const Output* fed = std::get_if<Output>(&feed.tensor.what());
    if (fed != nullptr && *fed == tensor) {
      throw Misuse(fmt::format("this request feeds '{}' already; set its FeedSlot instead", tensor.name()));
    }
  }
  impl_->feeds.push_back({Fetch(tensor), std::move(value)});
  id_ = next_id();
  return {impl_.get(), impl_->feeds.size() - 1};
}

FeedSlot SessionRunArgs::feed(std::string_view tensor, Tensor value) {
  for (const Feed& feed : impl_->feeds) {
    const auto* fed = std::get_if<std::string>(&feed.tensor.what());
    if (fed != nullptr && *fed == tensor) {
      throw Misuse(fmt::format("this request feeds '{}' already; set its FeedSlot instead", tensor));
    }
  }
  impl_->feeds.push_back({Fetch(tensor), std::move(value)});
  id_ = next_id();
  return {impl_.get(), impl_->feeds.size() - 1};
}

void SessionRunArgs::set_options(RunOptions options) {
  impl_->options = std::move(options);
  id_ = next_id();
}

const std::vector<Fetch>& SessionRunArgs::fetches() const noexcept { return impl_->fetches; }
const std::vector<SessionRunArgs::Feed>& SessionRunArgs::feeds() const noexcept { return impl_->feeds; }
const RunOptions* SessionRunArgs::options() const noexcept {
  return impl_->options ? &*impl_->options : nullptr;
}

}  // namespace fermata
