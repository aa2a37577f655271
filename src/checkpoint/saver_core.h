// The saver without its public face: any file system.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkpoint/retention.h"
#include "fermata/saver.h"
#include "platform/file_system.h"

namespace fermata {

// As Saver.
class SaverCore {
 public:
  SaverCore(SaverDef def, Saver::Options options, FileSystem& files);

  [[nodiscard]] const SaverDef& def() const noexcept { return def_; }
  std::string save(Session& session, const std::string& prefix, std::optional<Step> step,
                   bool write_meta_graph);
  void restore(Session& session, const std::string& prefix);
  void recover_last_checkpoints(const std::vector<std::string>& prefixes);
  void set_last_checkpoints(const std::vector<std::string>& prefixes);
  [[nodiscard]] std::vector<std::string> last_checkpoints() const { return retention_.prefixes(); }

 private:
  [[nodiscard]] double now_seconds() const;
  [[nodiscard]] std::string numbered(const std::string& prefix, std::optional<Step> step) const;
  void check_names(const std::string& prefix, bool has_step) const;
  void make_folder(const std::string& prefix);
  // Once for each folder.
  void tidy_up(const std::string& folder) noexcept;
  void write_state(const std::string& prefix, const std::vector<std::string>& listed);
  [[nodiscard]] bool is_named_by_state(const std::string& prefix) const;
  void write_files(Session& session, const std::string& prefix, std::optional<Step> step,
                   bool write_meta_graph);
  // A failure is only logged.
  void remove(const std::string& prefix) noexcept;

  SaverDef def_;
  Saver::Options options_;
  FileSystem& files_;
  std::shared_ptr<Clock> clock_;
  Retention retention_;
  std::set<std::string> tidy_folders_;
};

}  // namespace fermata
