// Is a checkpoint whole?
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/file_system.h"

namespace fermata {

// Reads the whole checkpoint `prefix` and checks sizes and checksums; the sizes also against its manifest, if
// it has one that fits. Without `verify_checksums` only the index is read. Throws: Error kNotFound if a file
// is missing; kDataLoss that names what is damaged.
void check_checkpoint(FileSystem& files, const std::string& prefix, bool verify_checksums = true);

// While it lives, this thread knows that the checksums of a checkpoint were compared just now: whoever fills
// variables from it need not read everything once more before. One at a time.
class ChecksumsCompared {
 public:
  explicit ChecksumsCompared(const std::string& prefix) noexcept;
  ~ChecksumsCompared();
  ChecksumsCompared(const ChecksumsCompared&) = delete;
  ChecksumsCompared& operator=(const ChecksumsCompared&) = delete;

  [[nodiscard]] static bool of(const std::string& prefix) noexcept;
};

// As the public functions of these names. `damaged` gets one sentence for each that is passed over; if it is
// null, they go to the log.
[[nodiscard]] std::optional<std::string> find_damage(FileSystem& files, const std::string& prefix,
                                                     bool verify_checksums = true);
[[nodiscard]] std::optional<std::string> newest_whole_checkpoint(FileSystem& files, const std::string& dir,
                                                                 std::string_view latest_filename,
                                                                 std::vector<std::string>* damaged,
                                                                 bool verify_checksums = true);

}  // namespace fermata
