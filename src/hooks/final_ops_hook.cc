#include "fermata/hooks/final_ops_hook.h"

#include <fmt/format.h>

#include <exception>

#include "fermata/error.h"
#include "fermata/log.h"

namespace fermata {

FinalOpsHook::FinalOpsHook(Options options) : args_(std::move(options.final_ops)) {
  for (auto& [name, value] : options.final_ops_feed_dict) {
    args_.feed(name, std::move(value));
  }
}

void FinalOpsHook::begin(Graph& /*graph*/) { values_.reset(); }

// There is nothing to do before the end.
void FinalOpsHook::after_create_session(Session& /*session*/, Coordinator* /*coordinator*/) { sleep(); }

void FinalOpsHook::end(Session& session) {
  if (args_.fetches().empty()) {
    return;
  }
  try {
    values_ = session.run(args_);
  } catch (...) {
    if (is_end_of_input(std::current_exception())) {
      log(LogLevel::kWarning,
          fmt::format("{}: the final ops need input, and it is used up; let them depend on no input source",
                      name()));
    }
    throw;
  }
}

}  // namespace fermata
