// The event writer without its public face: any file system.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "event_log/background_file.h"
#include "fermata/clock.h"
#include "fermata/error.h"
#include "fermata/event_writer.h"
#include "fermata/step.h"
#include "platform/file_content.h"
#include "platform/file_system.h"
#include "wire/event_proto.h"

namespace fermata {

// As EventWriter. The file appears with the first record (with a suffix in its name at once), and its version
// record is flushed. A record is flushed when enough are held, or when some seconds have passed since the
// last flush. Threads: every function may be called from any thread.
class EventLog {
 public:
  // Who writes to the file: the caller of add, or a thread.
  enum class Writing { kByCaller, kByThread };

  EventLog(FileSystem& files, const std::string& dir, EventWriter::Options options,
           Writing writing = Writing::kByCaller);
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  void add_scalar(std::string_view tag, float value, Step step);
  void add_summary(std::string_view serialized, Step step);
  void add_session_log(wire::SessionStatus status, std::string_view checkpoint_path, Step step);
  void add_graph_def(std::string_view serialized, Step step = 0);
  void add_meta_graph_def(std::string_view serialized);
  void add_run_metadata(std::string_view serialized, std::string_view tag, Step step);

  void flush();
  void close();
  [[nodiscard]] bool closed() const;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  // Writes the event that `append` puts into an empty string. Drops it with a warning once closed.
  template <typename Append>
  void add(const Append& append);
  // Calls `work`; what it throws is kept, and thrown by all later calls.
  template <typename Work>
  void guarded(const Work& work);
  void open();
  void begin_file();
  void write_record(std::string_view event);
  void flush_held();
  void check_still_there();
  [[nodiscard]] double wall_seconds() const;
  [[nodiscard]] wire::EventStamp stamp(std::optional<Step> step) const;

  FileSystem& files_;
  EventWriter::Options options_;
  Writing writing_;
  std::shared_ptr<Clock> clock_;
  std::string path_;

  mutable std::mutex mutex_;
  std::unique_ptr<WritableFile> file_;
  // One of the two, once the file is open.
  std::optional<BufferedWriter> buffer_;
  std::unique_ptr<BackgroundFile> background_;
  Clock::TimePoint last_flush_;
  std::optional<Error> failure_;
  bool closed_ = false;
  // Used again for each event, so that a record allocates nothing.
  std::string event_;
  std::string record_;
  // Tags of summaries so far: plugin data belong to the first value of a tag only.
  std::set<std::string, std::less<>> tags_;
  std::set<std::string, std::less<>> run_metadata_tags_;
};

}  // namespace fermata
