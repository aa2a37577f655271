// A session as the steps of a scenario use it.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "conformance/phase.h"
#include "fermata/monitored_session.h"

namespace fermata::conformance {

class Loop {
 public:
  virtual ~Loop() = default;
  virtual ResultsView run(const SessionRunArgs& args) = 0;
  virtual bool should_stop() = 0;
  virtual void close() = 0;
  // The failure end. Returns the error that comes out.
  virtual std::exception_ptr abort(std::exception_ptr error) = 0;
  virtual Json run_step_fn(const std::function<Json(StepContext&)>& step_fn) = 0;
  // Null after close.
  [[nodiscard]] virtual Graph* graph() = 0;
  [[nodiscard]] virtual Session* raw_session() = 0;
};

// A session of kind `monitored`, `singular` or `training_session`. Throws: what its constructor throws.
[[nodiscard]] std::unique_ptr<Loop> make_loop(Phase& phase, const Json& spec,
                                              const std::vector<HookPtr>& hooks);

}  // namespace fermata::conformance
