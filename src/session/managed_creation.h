// What the creators tell the session manager.
#pragma once

#include <optional>
#include <vector>

#include "fermata/scaffold.h"
#include "fermata/session_creator.h"
#include "fermata/session_manager.h"

namespace fermata {

[[nodiscard]] inline std::vector<Fetch> as_list(const std::optional<Fetch>& op) {
  return op ? std::vector<Fetch>{*op} : std::vector<Fetch>{};
}

// The pieces of a scaffold that was finalized.
[[nodiscard]] inline SessionManager::Options manager_options(const Scaffold& scaffold) {
  return {.local_init_op = as_list(scaffold.local_init_op()),
          .local_init_feed_dict = scaffold.local_init_feed_dict(),
          .ready_op = scaffold.ready_op(),
          .ready_for_local_init_op = scaffold.ready_for_local_init_op()};
}

// The configuration with the plans that were announced.
[[nodiscard]] inline SessionConfig config_with(SessionConfig config, const CreationRequest& request) {
  if (request.announced) {
    config.announced = request.announced();
  }
  return config;
}

}  // namespace fermata
