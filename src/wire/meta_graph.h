// Reads a MetaGraphDef, the content of a `.meta` file: a graph and all that belongs to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/malformed.h"

namespace fermata::wire {

struct SaverDefinition {
  std::string filename_tensor_name;
  std::string save_tensor_name;
  std::string restore_op_name;
  int max_to_keep = 0;
  bool sharded = false;
  float keep_checkpoint_every_n_hours = 0;
};

// A part of a partitioned variable.
struct SliceDefinition {
  std::string full_name;
  std::vector<std::int64_t> full_shape;
  std::vector<std::int64_t> offset;
  std::vector<std::int64_t> shape;
};

struct VariableDefinition {
  std::string name;           // "w:0"
  std::string initializer;    // "w/Assign"
  std::string snapshot;       // "w/Read/ReadVariableOp:0"
  std::string initial_value;  // "w/Initializer/zeros:0"
  std::optional<SliceDefinition> slice;
  bool is_resource = false;
  bool trainable = true;
};

struct QueueRunnerDefinition {
  std::string queue;
  std::vector<std::string> enqueue_ops;
  std::string close_op;
  std::string cancel_op;
  // Codes of errors that mean "the queue was closed"; never empty.
  std::vector<std::int64_t> closed_codes;
};

// Values under one key: names of nodes, or serialized messages.
struct Collection {
  std::vector<std::string> nodes;
  std::vector<std::string> messages;
};

struct TensorDefinition {
  std::string name;  // "x:0"
  std::int32_t dtype = 0;
  // Absent: unknown rank. −1: unknown size.
  std::optional<std::vector<std::int64_t>> shape;
};

struct SignatureDefinition {
  std::string method;
  std::map<std::string, TensorDefinition> inputs;
  std::map<std::string, TensorDefinition> outputs;
};

struct AssetDefinition {
  std::string tensor;
  std::string filename;
};

// Views are into the bytes that were read.
struct MetaGraph {
  std::vector<std::string> tags;
  std::string tensorflow_version;
  std::string_view graph_def;
  std::optional<SaverDefinition> saver;
  std::map<std::string, Collection, std::less<>> collections;
  std::map<std::string, SignatureDefinition> signatures;
  std::vector<AssetDefinition> assets;
  std::string_view object_graph;
};

// Throws: Malformed. A message without a graph is foreign too: nearly anything could be read as one.
[[nodiscard]] MetaGraph read_meta_graph(std::string_view bytes);

// The values of collections. Throw: Malformed.
[[nodiscard]] SaverDefinition read_saver_definition(std::string_view bytes);
[[nodiscard]] VariableDefinition read_variable_definition(std::string_view bytes);
[[nodiscard]] std::string write_variable_definition(const VariableDefinition& variable);
[[nodiscard]] QueueRunnerDefinition read_queue_runner_definition(std::string_view bytes);
[[nodiscard]] std::string write_queue_runner_definition(const QueueRunnerDefinition& runner);

// The same MetaGraphDef with another graph, and with `collections` and `saver` in the place of its own.
[[nodiscard]] std::string replace_in_meta_graph(
    std::string_view bytes, std::string_view graph_def,
    const std::map<std::string, Collection, std::less<>>& collections,
    const std::optional<SaverDefinition>& saver);

}  // namespace fermata::wire
