// Checkpoints of a session's variables: names, retention, the state file.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fermata/clock.h"
#include "fermata/export.h"
#include "fermata/graph.h"
#include "fermata/session.h"

namespace fermata {

// How the values of a checkpoint get to disk.
enum class SaveMode {
  kGraph,  // the engine's own saver writes them while the loop waits
  kSync,   // they are captured, then written by Fermata while the loop waits
  kAsync,  // they are captured while the loop waits, and written by a thread while it goes on
};

// What a save in kAsync does while the one before it is still being written.
enum class WhenBusy {
  kWait,  // it waits for that one
  kSkip,  // it is left out
};

// Which of two values is the better one.
enum class BestValue { kLowest, kHighest };

// What one save does, beside the values.
struct SaveOptions {
  // Name of the state file, without a folder; nothing: that of Saver::Options. Its list is the saver's whole
  // list, whatever state file the others are named by.
  std::optional<std::string> latest_filename;
  // The graph's definition goes to `<prefix>.<suffix>`. A checkpoint that is removed after this save loses
  // its file of that ending.
  std::string meta_graph_suffix = "meta";
  // Where the graph has a definition; a graph of C++ callables has none.
  bool write_meta_graph = true;
  // False: no state file names the checkpoint, the saver does not list it, and nothing is removed.
  bool write_state = true;
};

// One saver keeps one list of checkpoints, oldest first. Files are TensorFlow's tensor bundles:
// `<prefix>.index` and
// `<prefix>.data-SSSSS-of-NNNNN`, with the `checkpoint` state file beside them (contract SAVER-3 to SAVER-14,
// STATE). Threads: one at a time.
class FERMATA_API Saver {
 public:
  struct Options {
    // How many of this saver's checkpoints to keep; older ones are removed after a save. 0 keeps all.
    int max_to_keep = 5;
    // Also keeps one checkpoint for each period of this many hours.
    double keep_checkpoint_every_n_hours = 10000.0;
    // Pads the step in names to eight digits.
    bool pad_step_number = false;
    // Keeps paths in the state file relative to its folder, so that the folder may be moved.
    bool save_relative_paths = false;
    // Name of the state file.
    std::string latest_filename = "checkpoint";
    // Null: the machine's clock.
    std::shared_ptr<Clock> clock;

    // kSync and kAsync write as kGraph does, with the reason in the log, where values cannot be captured.
    SaveMode mode = SaveMode::kGraph;
    WhenBusy when_busy = WhenBusy::kWait;
    // Values that take more than this are not captured: a capture may need that much memory a second time.
    std::uint64_t capture_limit_bytes = std::numeric_limits<std::uint64_t>::max();
    // How long the destructor waits for a save that is still being written.
    std::chrono::milliseconds close_timeout = std::chrono::minutes(10);

    // Reads the values of a checkpoint before it is restored and compares their checksums; sizes are compared
    // always. Without it a checkpoint with damaged values is not passed over for the one before it: what the
    // engine's own reader finds is an error while the variables are filled.
    bool verify_checksums = true;

    // How many checkpoints to keep besides the latest, those with the best values of this saver's list.
    int keep_best = 0;
    BestValue best = BestValue::kLowest;
    // Asked at each save for the value of the checkpoint, which is kept in its manifest. Nothing, or NaN: it
    // has none and is never among the best.
    std::function<std::optional<double>()> value;

    // Gives a stored value the shape of its variable if the two have the same number of elements; else such
    // a checkpoint is refused. What differs makes a copy beside the checkpoint while it is restored.
    bool reshape = false;

    // --- of a saver that is made over a graph
    // What it saves: the name in the checkpoint → the variable's. Nothing: the graph's own saver, which
    // saves all variables unless the graph came with one that says otherwise. Empty: no variable.
    std::optional<std::map<std::string, std::string>> var_list;
    // Its definition calls itself sharded. Savers that Fermata makes write one file of data all the same.
    bool sharded = false;
    // Makes nothing in the constructor: build() does, and takes variables that came in between too.
    bool defer_build = false;
    // A saver without a variable is no error: it saves the graph's definition only, and restores nothing.
    bool allow_empty = false;
  };

  // A save that is committed.
  struct Saved {
    std::string prefix;
    std::optional<Step> step;
  };

  // From a definition: Graph::default_saver, Graph::add_saver.
  // Throws: Error kInvalidArgument for a negative number, a latest_filename with a folder in it, or a
  // var_list, which a definition has already.
  explicit Saver(SaverDef def);
  Saver(SaverDef def, Options options);
  // Over a graph, which must be there until the saver is built.
  // Throws: Error kInvalidArgument also for defer_build with a var_list that names something; what build()
  // throws, unless it is deferred.
  Saver(Graph& graph, Options options);
  ~Saver();

  // Makes what the saver needs; on a TensorFlow graph these are operations. The second call does nothing, and
  // Scaffold::finalize calls it. Keeping by hours (keep_checkpoint_every_n_hours) begins here.
  // Throws: Error kInvalidArgument if there is nothing to save, unless allow_empty says that there need not
  // be; what Graph::add_saver throws. It can be called again then.
  void build();
  [[nodiscard]] bool is_built() const noexcept;
  // Built, with nothing to save.
  [[nodiscard]] bool is_empty() const noexcept;

  // Without names until it is built, and in an empty saver.
  [[nodiscard]] const SaverDef& def() const noexcept;
  // As in the options.
  [[nodiscard]] bool verify_checksums() const noexcept;

  // Writes `<prefix>-<step>` (without a step: `<prefix>`), `.manifest.json` with the state of the run,
  // `.meta` if the graph has a definition; then the state file; then removes what is no longer kept. Files
  // are synced before the state file names them. Makes the folder. Returns the prefix written.
  // In kAsync it returns once the values are captured; the rest happens on a thread, its end is told by
  // take_saved(). Returns an empty text if no checkpoint is written: the save was left out
  // (WhenBusy::kSkip), or the saver is empty, which writes `.meta` only.
  // Throws: Misuse before build(); Error, kInvalidArgument for names that clash or have a folder where none
  // may be. What was saved before is untouched then.
  std::string save(Session& session, const std::string& prefix, std::optional<Step> step = std::nullopt,
                   const SaveOptions& options = {});

  // What was committed since the last call, oldest first. Throws, once each, the error of a save on the
  // thread; one that nobody asked for is logged by the destructor. Cheap enough to be called at each step.
  [[nodiscard]] std::vector<Saved> take_saved();
  // Whether a save is being written.
  [[nodiscard]] bool busy() const noexcept;
  // Waits until none is, at most `timeout`. False: one still is.
  [[nodiscard]] bool wait(std::chrono::milliseconds timeout);

  // Keeps a checkpoint from being removed, by this saver and by those of later processes, until it is let go:
  // a file `<prefix>.pinned` says so. Throws: Error kNotFound if there is no such checkpoint, Error (system).
  void pin(const std::string& prefix);
  void unpin(const std::string& prefix);

  // Reads the variables from the checkpoint `prefix`, and the engine's state from its manifest. An empty
  // saver does nothing.
  // Throws: Misuse before build(); Error kInvalidArgument if there is no such checkpoint; kNotFound or
  // kInvalidArgument that name the variables which are missing or differ in dtype or shape; kDataLoss for a
  // damaged file. The session's values stay then.
  void restore(Session& session, const std::string& prefix);

  // Checkpoints of earlier processes, oldest first, that now belong to this saver's list; missing ones are
  // dropped.
  void recover_last_checkpoints(const std::vector<std::string>& prefixes);
  [[nodiscard]] std::vector<std::string> last_checkpoints() const;
  // The same list without looking at files. Such a checkpoint counts as infinitely new: when its turn comes
  // it leaves the list but stays on disk, as if it had been kept for its hours.
  void set_last_checkpoints(const std::vector<std::string>& prefixes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The `checkpoint` state file (text format of tensorflow.CheckpointState).
struct CheckpointState {
  std::string model_checkpoint_path;
  std::vector<std::string> all_model_checkpoint_paths;  // oldest first
  std::vector<double> all_model_checkpoint_timestamps;  // seconds since 1970; empty or as long as the paths
  std::optional<double> last_preserved_timestamp;
};

// Reads `<dir>/<latest_filename>`; relative paths come back joined to `dir`. Nothing if there is no file, or
// (with a warning) if it cannot be read or names no checkpoint. Unknown fields are skipped.
[[nodiscard]] FERMATA_API std::optional<CheckpointState> get_checkpoint_state(
    const std::string& dir, std::string_view latest_filename = "checkpoint");
// Writes the state file of `dir` at once and durably. The latest path is appended to the list if it is not
// its last. In a relative `dir` relative paths become relative to it; with `save_relative_paths` all do.
// Throws: Misuse if the latest path is the state file itself; Error kInvalidArgument for timestamps that are
// not one for each path; Error (system).
struct UpdateCheckpointStateOptions {
  std::string latest_filename = "checkpoint";
  bool save_relative_paths = false;
};
FERMATA_API void update_checkpoint_state(const std::string& dir, const CheckpointState& state,
                                         const UpdateCheckpointStateOptions& options = {});

// The stored latest prefix if its files exist; else nothing, with an error in the log.
[[nodiscard]] FERMATA_API std::optional<std::string> latest_checkpoint(
    const std::string& dir, std::string_view latest_filename = "checkpoint");
// True if `<prefix>.index` exists, or a file of that very name, which is how TensorFlow's first format (that
// Fermata does not read) stores a checkpoint.
[[nodiscard]] FERMATA_API bool checkpoint_exists(const std::string& prefix);
// When each of them was written, in seconds since 1970; those that are not there are left out.
[[nodiscard]] FERMATA_API std::vector<double> get_checkpoint_mtimes(const std::vector<std::string>& prefixes);
// Removes all files of the checkpoint; it is no error if there are none. Throws: Error (system).
FERMATA_API void remove_checkpoint(const std::string& prefix, std::string_view meta_graph_suffix = "meta");

// What Fermata kept beside the checkpoint in `<prefix>.manifest.json`: state of hooks and engine, the step.
// Nothing if there is no manifest (a checkpoint written by Python) or, with a warning, if it cannot be read.
struct CheckpointManifest {
  std::optional<Step> step;
  RunState state;
  // Seconds since 1970.
  double unix_seconds = 0;
  std::string fermata_version;
  // What Saver::Options::value said.
  std::optional<double> value;
};
[[nodiscard]] FERMATA_API std::optional<CheckpointManifest> read_manifest(const std::string& prefix);

// The step in a checkpoint's name ("model.ckpt-500"), if there is one.
[[nodiscard]] FERMATA_API std::optional<Step> step_of_checkpoint(std::string_view prefix);

// Reads the whole checkpoint and checks sizes and checksums. Returns nothing if it is whole, else one
// sentence.
[[nodiscard]] FERMATA_API std::optional<std::string> find_damage(const std::string& prefix);

// The newest checkpoint listed in the state file of `dir` that is whole. Damaged ones are named in `damaged`
// (may be null). Without `verify_checksums` whole means that all files are there and have the right sizes.
// Throws: Error kDataLoss if some are listed and none is whole.
[[nodiscard]] FERMATA_API std::optional<std::string> newest_whole_checkpoint(
    const std::string& dir, std::vector<std::string>* damaged = nullptr, bool verify_checksums = true);

}  // namespace fermata
