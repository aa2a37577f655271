// This process and the machine it runs on.
#pragma once

#include <cstdint>
#include <string>

namespace fermata {

[[nodiscard]] std::int64_t process_id() noexcept;

// Whether there is such a process on this machine, of whatever user.
[[nodiscard]] bool process_runs(std::int64_t id) noexcept;

// "localhost" if the machine has no name.
[[nodiscard]] std::string host_name();

}  // namespace fermata
