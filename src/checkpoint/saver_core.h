// The saver without its public face: any file system.
#pragma once

#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_write.h"
#include "checkpoint/retention.h"
#include "checkpoint/save_thread.h"
#include "fermata/saver.h"
#include "platform/file_system.h"

namespace fermata {

// As Saver.
class SaverCore {
 public:
  SaverCore(SaverDef def, Saver::Options options, FileSystem& files);
  SaverCore(Graph& graph, Saver::Options options, FileSystem& files);
  ~SaverCore();
  SaverCore(const SaverCore&) = delete;
  SaverCore& operator=(const SaverCore&) = delete;

  void build();
  [[nodiscard]] bool is_built() const noexcept { return built_; }
  [[nodiscard]] bool is_empty() const noexcept { return empty_; }
  [[nodiscard]] const SaverDef& def() const noexcept { return def_; }
  [[nodiscard]] bool verify_checksums() const noexcept { return options_.verify_checksums; }
  std::string save(Session& session, const std::string& prefix, std::optional<Step> step = std::nullopt,
                   const SaveOptions& options = {});
  [[nodiscard]] std::vector<Saver::Saved> take_saved();
  [[nodiscard]] bool busy() const noexcept { return thread_.busy(); }
  [[nodiscard]] bool wait(std::chrono::milliseconds timeout);
  void restore(Session& session, const std::string& prefix);
  void recover_last_checkpoints(const std::vector<std::string>& prefixes);
  void set_last_checkpoints(const std::vector<std::string>& prefixes);
  [[nodiscard]] std::vector<std::string> last_checkpoints() const { return retention_.prefixes(); }

 private:
  // A save on the thread, and how it ended.
  struct UnderWay;

  // What both kinds of savers begin with.
  SaverCore(Saver::Options options, FileSystem& files);

  [[nodiscard]] double now_seconds() const;
  [[nodiscard]] std::string numbered(const std::string& prefix, std::optional<Step> step) const;
  void require_built(const std::string& what) const;
  void check_names(const std::string& prefix, bool has_step, const SaveOptions& options) const;
  [[nodiscard]] const std::string& latest_filename(const SaveOptions& options) const;
  // Once for each folder.
  void tidy_up(const std::string& folder) noexcept;
  // False if the save is to be left out.
  [[nodiscard]] bool make_room(const std::string& prefix);
  [[nodiscard]] CheckpointWrite prepare(Session& session, const std::string& prefix, std::optional<Step> step,
                                        const SaveOptions& options);
  void write_definition_only(Session& session, const std::string& prefix, const SaveOptions& options);
  // The values; nothing where the engine has to write them itself.
  [[nodiscard]] std::optional<VariableCapture> capture(Session& session);
  void write_now(const CheckpointWrite& work);
  void write_beside(CheckpointWrite work);
  // Takes over how the save on the thread ended, if it did.
  void collect();

  // Null for a saver that came with its definition.
  Graph* graph_ = nullptr;
  bool built_ = false;
  bool empty_ = false;
  SaverDef def_;
  Saver::Options options_;
  FileSystem& files_;
  std::shared_ptr<Clock> clock_;
  Retention retention_;
  std::set<std::string> tidy_folders_;
  bool told_why_not_captured_ = false;
  std::vector<Saver::Saved> saved_;
  std::deque<std::exception_ptr> errors_;
  std::shared_ptr<UnderWay> under_way_;
  SaveThread thread_;
};

}  // namespace fermata
