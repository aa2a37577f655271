// Paths as text. Nothing here looks at the disk, except for the current folder.
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

}  // namespace fermata
