// Paths as text.
#pragma once

#include <string>
#include <string_view>

namespace fermata {

// "a/b" of "a/b/c", "." of "c", "/" of "/c".
[[nodiscard]] std::string folder_of(std::string_view path);
// "c" of "a/b/c".
[[nodiscard]] std::string name_of(std::string_view path);
// An absolute `path` stays as it is; nothing is normalised.
[[nodiscard]] std::string join_path(std::string_view folder, std::string_view path);
[[nodiscard]] bool is_absolute_path(std::string_view path) noexcept;
// How to get from `folder` to `path`, both made absolute and normalised: "../e/m".
[[nodiscard]] std::string relative_path(std::string_view path, std::string_view folder);

// One spelling for each place: absolute, normalised, symbolic links followed as far as the path exists.
[[nodiscard]] std::string canonical_path(std::string_view path);

}  // namespace fermata
