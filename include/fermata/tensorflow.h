// TensorFlow's own runtime as an engine: graphs exported from Python, run by its C library.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fermata/export.h"
#include "fermata/graph.h"
#include "fermata/session.h"

namespace fermata::tensorflow {

// A signature of a model: its own names for inputs and outputs.
struct Signature {
  std::string key;  // "train", "serving_default"
  std::string method;
  struct Entry {
    std::string name;    // "x"
    std::string tensor;  // "train_x:0"
    TensorSpec spec;
  };
  std::vector<Entry> inputs;
  std::vector<Entry> outputs;
};

struct OpenOptions {
  // Folder with TensorFlow's two libraries; empty: searched (see find_library).
  std::string library_dir;
  // Tags of the MetaGraph in a SavedModel; empty: the one that is tagged "serve", or the only one.
  std::vector<std::string> tags;
  // The SavedModel signature that trains.
  std::string train_signature = "train";
  // Operation (or tensor whose fetch trains) instead of what the model says.
  std::string train_op;
  // Variable of the step instead of what the model says.
  std::string global_step;
  // For a model without a step: Fermata counts the runs that train, and keeps the number with the checkpoint.
  bool count_steps = false;
  // Shows TensorFlow's own messages from its start-up on.
  bool verbose = false;
};

// A graph from a file. Resource and reference variables, partitioned ones, tables, queues, tf.data,
// functions.
class FERMATA_API Model : public Graph {
 public:
  ~Model() override;

  // The operation that trains: the collection `train_op`, or OpenOptions::train_op; for a SavedModel the
  // first output of the train signature. Throws: Error kNotFound that says what to give.
  [[nodiscard]] Fetch train_op() const;
  [[nodiscard]] bool has_train_op() const noexcept;
  // What the model offers as its loss: the collection `losses`, a signature output "loss", a tensor "loss:0".
  [[nodiscard]] std::optional<Output> loss() const;
  // A tensor by graph name, or by its name in the train signature ("x"). Throws: Error kNotFound with nearest
  // names.
  [[nodiscard]] Output find_input(std::string_view name) const;
  [[nodiscard]] Output find_output(std::string_view name) const;
  [[nodiscard]] bool is_saved_model() const noexcept;
  [[nodiscard]] const std::vector<Signature>& signatures() const noexcept;
  // Placeholders that nothing else in the graph replaces.
  [[nodiscard]] std::vector<Output> placeholders() const;
  // True if the graph feeds itself (queue runners, tf.data).
  [[nodiscard]] bool has_own_input() const;
  // Names of operations that make a resumed run differ: random ops, in-graph shuffles, queues.
  [[nodiscard]] std::vector<std::string> unrepeatable_operations() const;
  // Sentences to show when the model is opened (weights stored twice by Keras' ExportArchive, and the like).
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;
  // The version of the library that runs it, "2.21.0".
  [[nodiscard]] std::string runtime_version() const;

  // Graph
  [[nodiscard]] std::string_view engine() const noexcept override;
  [[nodiscard]] std::optional<Operation> find_operation(std::string_view name) const override;
  [[nodiscard]] std::vector<Operation> operations() const override;
  [[nodiscard]] std::string operation_name(std::uintptr_t node) const override;
  [[nodiscard]] std::string operation_type(std::uintptr_t node) const override;
  [[nodiscard]] std::int32_t num_outputs(std::uintptr_t node) const override;
  [[nodiscard]] TensorSpec spec(const Output& output) const override;
  [[nodiscard]] std::vector<VariableInfo> variables() const override;
  [[nodiscard]] std::vector<std::string> collection_keys() const override;
  [[nodiscard]] std::vector<std::string> collection(std::string_view key) const override;
  void add_to_collection(std::string_view key, std::string_view name) override;
  [[nodiscard]] std::vector<QueueRunnerInfo> queue_runners() const override;
  [[nodiscard]] bool has_global_step() const override;
  [[nodiscard]] std::string global_step_name() const override;
  Operation add_operation(const NodeSpec& node) override;
  void add_global_step() override;
  [[nodiscard]] Operation default_init_op() override;
  [[nodiscard]] Output default_ready_op() override;
  [[nodiscard]] Output default_ready_for_local_init_op() override;
  [[nodiscard]] Operation default_local_init_op() override;
  [[nodiscard]] std::optional<Output> default_summary_op() override;
  [[nodiscard]] std::optional<SaverDef> default_saver() override;
  [[nodiscard]] SaverDef add_saver(const std::map<std::string, std::string>& names) override;
  [[nodiscard]] std::unique_ptr<Session> create_session(const SessionConfig& config) override;
  [[nodiscard]] std::string graph_def() const override;
  [[nodiscard]] std::string meta_graph_def() const override;

  struct Impl;
  explicit Model(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

// Opens a `.meta` file or a SavedModel folder. The library is loaded at the first call.
// Throws: Error, one sentence: no such file, not a MetaGraph, an operation the library lacks, the library
// missing …
[[nodiscard]] FERMATA_API Model open(const std::string& path, OpenOptions options = {});

// Opens a serialized MetaGraphDef.
[[nodiscard]] FERMATA_API Model open_meta_graph(std::string_view serialized, OpenOptions options = {});

// Where the library is looked for, in this order: the variable FERMATA_TENSORFLOW_DIR, the folder configured
// at build time, the cache folder, installed Python packages.
struct LibrarySearch {
  std::string found;  // empty: nowhere
  std::vector<std::string> places;
};
[[nodiscard]] FERMATA_API LibrarySearch find_library(const std::string& library_dir = {});

}  // namespace fermata::tensorflow
