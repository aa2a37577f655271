// TensorBoard event files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/step.h"

namespace fermata {

// Appends records to one new file `<dir>/events.out.tfevents.<seconds>.<host>.<pid>.<count>` (the name
// TensorBoard looks for; pid and count keep two writers apart). The first record is the version,
// `brain.Event:2`. Threads: every function may be called from any thread.
class FERMATA_API EventWriter {
 public:
  struct Options {
    std::string filename_suffix;
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
  };

  // Makes the folder with all its levels. Throws: Error (system).
  explicit EventWriter(const std::string& dir);
  EventWriter(const std::string& dir, Options options);
  // Closes; an error is logged.
  ~EventWriter();

  // All throw Error (system) if the file cannot be written, at this call and at each later one.
  void add_scalar(std::string_view tag, double value, Step step);
  // A serialized tensorflow.Summary.
  void add_summary(std::string_view serialized, Step step);
  // A restart mark: readers drop what an earlier file of the run has at or after this step.
  void add_session_start(Step step);
  void add_session_checkpoint(Step step, std::string_view path);
  // Serialized GraphDef, MetaGraphDef, RunMetadata.
  void add_graph_def(std::string_view serialized, Step step = 0);
  void add_meta_graph_def(std::string_view serialized);
  void add_run_metadata(std::string_view serialized, std::string_view tag, Step step);

  void flush();
  void close();
  [[nodiscard]] const std::string& path() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One writer for each folder of the process, so that hooks share it; kept as long as somebody holds it.
[[nodiscard]] FERMATA_API std::shared_ptr<EventWriter> shared_event_writer(const std::string& dir);

}  // namespace fermata
