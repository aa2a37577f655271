// What is wanted of one step: fetches, feeds, options. The caller's and every hook's request have this one
// type.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fermata/export.h"
#include "fermata/graph.h"
#include "fermata/tensor.h"

namespace fermata {

// How much TensorFlow records about a run; numbers as in RunOptions.TraceLevel.
enum class TraceLevel : int { kNoTrace = 0, kSoftwareTrace = 1, kHardwareTrace = 2, kFullTrace = 3 };

// Options of one run, as tensorflow.RunOptions. Several requests are merged: the higher trace level, the
// longer timeout, the larger thread pool that was set, and `or` for the switches (contract RUN-9; −1 is kept,
// unlike the reference).
struct RunOptions {
  TraceLevel trace_level = TraceLevel::kNoTrace;
  // Ends the run with kDeadlineExceeded; 0: no limit.
  std::chrono::milliseconds timeout{0};
  // −1: the step runs on the caller's thread. Absent: the session's choice.
  std::optional<int> inter_op_thread_pool;
  bool output_partition_graphs = false;
  bool report_tensor_allocations_upon_oom = false;
  bool reset_disk_byte_usage = false;
  // Serialized tensorflow.DebugTensorWatch messages; appended when merged.
  std::vector<std::string> debug_tensor_watches;
  // A serialized tensorflow.RunOptions with what the fields above lack; merged in by the engine.
  std::string serialized;

  friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

// A fetch: an output (its value), an operation (run for its effect, no value), or the name of either; a name
// with ":" is a tensor, one without is an operation.
class FERMATA_API Fetch {
 public:
  Fetch(Output output) : what_(output) {}                     // NOLINT(google-explicit-constructor)
  Fetch(Operation operation) : what_(operation) {}            // NOLINT(google-explicit-constructor)
  Fetch(std::string name) : what_(std::move(name)) {}         // NOLINT(google-explicit-constructor)
  Fetch(std::string_view name) : what_(std::string(name)) {}  // NOLINT(google-explicit-constructor)
  Fetch(const char* name) : what_(std::string(name)) {}       // NOLINT(google-explicit-constructor)

  [[nodiscard]] const std::variant<Output, Operation, std::string>& what() const noexcept { return what_; }
  // For messages and traces: the name as given, or the name of the handle.
  [[nodiscard]] std::string name() const;

 private:
  std::variant<Output, Operation, std::string> what_;
};

class SessionRunArgs;

// A place of a SessionRunArgs that takes a new value each step; setting it is no change of structure. A small
// value, valid as long as the request it came from (moving the request keeps it valid).
class FERMATA_API FeedSlot {
 public:
  FeedSlot() = default;
  // Throws: Error kInvalidArgument if dtype or shape are not those of the first value the graph accepts —
  // checked at the run, where the graph is known. An empty Tensor is refused at the run too.
  void set(Tensor value) const;

 private:
  friend class SessionRunArgs;
  FeedSlot(void* impl, std::size_t index) : impl_(impl), index_(index) {}
  void* impl_ = nullptr;
  std::size_t index_ = 0;
};

// A request: made once, used every step. Its identity is a number from one counter of the process, new at
// construction and at each change of structure (a fetch, a feed place, an option); plans are found by it.
// Copies start with the identity of their source. Threads: one at a time.
class FERMATA_API SessionRunArgs {
 public:
  SessionRunArgs();
  SessionRunArgs(std::initializer_list<Fetch> fetches);
  explicit SessionRunArgs(std::vector<Fetch> fetches);
  ~SessionRunArgs();
  SessionRunArgs(const SessionRunArgs& other);
  SessionRunArgs& operator=(const SessionRunArgs& other);
  SessionRunArgs(SessionRunArgs&& other) noexcept;
  SessionRunArgs& operator=(SessionRunArgs&& other) noexcept;

  // Adds a fetch and returns its place in the results.
  std::size_t fetch(Fetch fetch);
  // Adds a feed place. Throws: Misuse if this request already feeds the tensor under the same handle or name.
  FeedSlot feed(Output tensor, Tensor value = {});
  FeedSlot feed(std::string_view tensor, Tensor value = {});
  void set_options(RunOptions options);

  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  [[nodiscard]] const std::vector<Fetch>& fetches() const noexcept;

  struct Feed {
    Fetch tensor;  // an Output or a name
    Tensor value;
  };
  [[nodiscard]] const std::vector<Feed>& feeds() const noexcept;
  // Null without options.
  [[nodiscard]] const RunOptions* options() const noexcept;

 private:
  friend class FeedSlot;
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::uint64_t id_;
};

}  // namespace fermata
