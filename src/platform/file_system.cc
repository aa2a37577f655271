#include "platform/file_system.h"

namespace fermata {

WritableFile::~WritableFile() = default;

ReadableFile::~ReadableFile() = default;

FileSystem::~FileSystem() = default;

}  // namespace fermata
