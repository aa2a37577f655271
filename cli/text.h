// Small pieces of text for people.
#pragma once

#include <string>
#include <string_view>

#include "fermata/graph.h"
#include "fermata/tensor.h"

namespace fermata::cli {

// "0.0234", "12.5", "1.2e-07": six digits at most.
[[nodiscard]] std::string short_number(double value);

// A value as progress shows it: real numbers short, everything else as to_text has it.
[[nodiscard]] std::string short_value(const TensorView& value);

// "4 s", "2 min 5 s", "3 h 12 min".
[[nodiscard]] std::string time_text(double seconds);

// "8123 steps/s", "2.5 steps/s", "0.02 steps/s".
[[nodiscard]] std::string rate_text(double steps_per_second);

// "12 bytes", "4.5 kB", "98 MB", with thousands.
[[nodiscard]] std::string size_text(double bytes);

// "float32 [?,64]"; "float32 of unknown shape".
[[nodiscard]] std::string spec_text(const TensorSpec& spec);

// As a word for the shell: quoted only where that is needed.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace fermata::cli
