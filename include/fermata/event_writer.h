// TensorBoard event files.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/step.h"
#include "fermata/tensor.h"

namespace fermata {

// Appends records to one new file `<dir>/events.out.tfevents.<seconds>.<host>.<pid>.<count>` (the name
// TensorBoard looks for; pid and count keep two writers apart). The first record is the version,
// `brain.Event:2`. Records are put together by the caller and written by a thread of the writer's own, so
// that a slow disk does not hold up the loop. Threads: every function may be called from any thread.
class FERMATA_API EventWriter {
 public:
  struct Options {
    std::string filename_suffix;
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;
    // A record is on its way to the file after this time at the latest.
    std::chrono::milliseconds flush_interval = std::chrono::seconds(5);
    // Or as soon as this much is held.
    std::size_t flush_bytes = std::size_t{64} * 1024;
    // How much may wait for the disk; a record beyond that waits for room. Nothing is dropped.
    std::size_t queue_bytes = std::size_t{16} * 1024 * 1024;
  };

  // Makes the folder with all its levels. Throws: Error (system).
  explicit EventWriter(const std::string& dir);
  EventWriter(const std::string& dir, Options options);
  // Closes; an error is logged.
  ~EventWriter();

  // All throw Error (system) once the file could not be written, at the next call and at each later one.
  void add_scalar(std::string_view tag, double value, Step step);
  // How the values are spread: minimum, maximum, mean, deviation and TensorBoard's usual buckets. Values that
  // are not finite are left out. Throws: Error kInvalidArgument for values that are no real numbers.
  void add_histogram(std::string_view tag, const TensorView& values, Step step);
  // uint8 of shape [height, width, channels], with 1 (grey), 3 (colours) or 4 channels (and opacity).
  // Throws: Error kInvalidArgument for anything else.
  void add_image(std::string_view tag, const TensorView& pixels, Step step);
  // Shown by TensorBoard as Markdown.
  void add_text(std::string_view tag, std::string_view text, Step step);
  // Any value with plain data, or strings.
  void add_tensor(std::string_view tag, const TensorView& value, Step step);
  // A serialized tensorflow.Summary.
  void add_summary(std::string_view serialized, Step step);
  // A restart mark: readers drop what an earlier file of the run has at or after this step.
  void add_session_start(Step step);
  void add_session_checkpoint(Step step, std::string_view path);
  // Serialized GraphDef, MetaGraphDef, RunMetadata.
  void add_graph_def(std::string_view serialized);
  void add_meta_graph_def(std::string_view serialized);
  void add_run_metadata(std::string_view serialized, std::string_view tag, Step step);

  // Returns once all records so far are in the file (not: synced).
  void flush();
  // Writes what is left and syncs the file.
  void close();
  [[nodiscard]] const std::string& path() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One writer for each folder of the process, so that hooks share it; kept as long as somebody holds it.
[[nodiscard]] FERMATA_API std::shared_ptr<EventWriter> shared_event_writer(const std::string& dir);

}  // namespace fermata
