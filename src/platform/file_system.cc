#include "platform/file_system.h"

namespace fermata {

WritableFile::~WritableFile() = default;

ReadableFile::~ReadableFile() = default;

FolderLock::~FolderLock() = default;

FileSystem::~FileSystem() = default;

}  // namespace fermata
