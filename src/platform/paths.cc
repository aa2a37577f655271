#include "platform/paths.h"

#include <filesystem>
#include <system_error>

namespace fermata {
namespace {

std::filesystem::path normal_path(std::string_view path) {
  std::filesystem::path normal = std::filesystem::absolute(path.empty() ? "." : path).lexically_normal();
  // "/a/" is normal too; without its last separator it compares as the folder it names.
  return normal.has_filename() || normal == normal.root_path() ? normal : normal.parent_path();
}

}  // namespace

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string_view::npos) {
    return ".";
  }
  const std::size_t end = path.find_last_not_of('/', slash);
  return end == std::string_view::npos ? "/" : std::string(path.substr(0, end + 1));
}

std::string name_of(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string join_path(std::string_view folder, std::string_view path) {
  if (folder.empty() || is_absolute_path(path)) {
    return std::string(path);
  }
  std::string joined(folder);
  if (joined.back() != '/') {
    joined += '/';
  }
  return joined.append(path);
}

bool is_absolute_path(std::string_view path) noexcept { return path.starts_with('/'); }

std::string relative_path(std::string_view path, std::string_view folder) {
  return normal_path(path).lexically_relative(normal_path(folder)).string();
}

std::string canonical_path(std::string_view path) {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::weakly_canonical(normal_path(path), error);
  return error ? normal_path(path).string() : found.string();
}

}  // namespace fermata
