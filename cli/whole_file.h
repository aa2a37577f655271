// Files that are there as a whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace fermata::cli {

// Writes beside `path`, then puts the file in its place: who reads it sees the old text or the new one. What
// is no plain file (a pipe, /dev/stdout) is written to directly. Throws: Error (system).
void write_whole_file(const std::string& path, std::string_view text);

}  // namespace fermata::cli
