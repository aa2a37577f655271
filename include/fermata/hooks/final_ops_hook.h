// Evaluates something once, at a clean end.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fermata/export.h"
#include "fermata/session_run_hook.h"

namespace fermata {

// Runs `final_ops` in `end`, by a run of its own. What goes wrong there leaves close(), the end of the input
// too: by then there is no loop that it could end.
class FERMATA_API FinalOpsHook : public SessionRunHook {
 public:
  struct Options {
    // Empty: nothing is run.
    std::vector<Fetch> final_ops;
    std::vector<std::pair<std::string, Tensor>> final_ops_feed_dict;
  };
  explicit FinalOpsHook(Options options);
  void begin(Graph& graph) override;
  void after_create_session(Session& session, Coordinator* coordinator) override;
  void end(Session& session) override;

  // In the order of final_ops, nothing for an operation. Absent until a clean end.
  [[nodiscard]] const std::optional<std::vector<Tensor>>& final_ops_values() const noexcept {
    return values_;
  }

 private:
  SessionRunArgs args_;
  std::optional<std::vector<Tensor>> values_;
};

}  // namespace fermata
