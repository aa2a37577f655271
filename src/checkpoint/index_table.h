// The index of a checkpoint as what it is on disk: sorted keys with values, in LevelDB's table format.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "platform/file_system.h"

namespace fermata {

using IndexVisitor = std::function<void(std::string_view key, std::string_view value)>;

// Calls `visit` for each key in order; what `visit` throws comes out. All checksums are checked.
// Throws: Error (system) if the file cannot be read, kDataLoss that names it if it is no such table.
void read_index_table(FileSystem& files, const std::string& path, const IndexVisitor& visit);

// Writes the whole table to `file`. Throws: what the file throws.
void write_index_table(WritableFile& file, const std::map<std::string, std::string>& records);

}  // namespace fermata
