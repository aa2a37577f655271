#include "conformance/coordinator_watch.h"

#include "conformance/errors.h"

namespace fermata::conformance {

void CoordinatorWatch::show(Coordinator* coordinator) {
  if (coordinator == nullptr || coordinator == newest_) {
    return;
  }
  newest_ = coordinator;
  ++count_;
  worded_ = joined_ = stopped_ = false;
}

void CoordinatorWatch::forget() {
  stopped_ = should_stop();
  newest_ = nullptr;
}

void CoordinatorWatch::look(const Say& say) {
  if (newest_ == nullptr) {
    return;
  }
  if (!worded_ && newest_->stop_request()) {
    worded_ = true;
    say(label() + " request_stop");
  }
  if (!joined_ && newest_->joined()) {
    joined_ = true;
    say(label() + " request_stop");
    const std::exception_ptr error = newest_->error();
    say(label() + " join" + (error ? " ! " + kind_of(error) : std::string()));
  }
}

bool CoordinatorWatch::should_stop() const { return newest_ != nullptr ? newest_->should_stop() : stopped_; }

std::string CoordinatorWatch::label() const { return count_ == 0 ? "null" : "K" + std::to_string(count_); }

}  // namespace fermata::conformance
