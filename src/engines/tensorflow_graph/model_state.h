// All that is known about an opened graph; what Model and its sessions share.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/tensorflow_graph/engine_graph.h"
#include "engines/tensorflow_graph/restore_plan.h"
#include "engines/tensorflow_graph/step_reads.h"
#include "engines/tensorflow_graph/step_source.h"
#include "engines/tensorflow_graph/variables.h"
#include "fermata/tensorflow.h"
#include "wire/graph_def.h"
#include "wire/meta_graph.h"

namespace fermata::tensorflow {

// A value that the engine itself feeds whenever an operation is run: file names of a SavedModel.
using OwnFeeds = std::map<Node, std::vector<std::pair<NodeOutput, Tensor>>>;

struct Model::Impl {
  Impl(const Runtime& runtime, OpenOptions open_options)
      : options(std::move(open_options)),
        version(runtime.version),
        graph(std::make_shared<EngineGraph>(runtime)),
        reads(std::make_shared<StepReads>(*graph)) {}

  // Throws as find_step and named_step.
  [[nodiscard]] StepSource step() const;
  // What trains, as the model or the options say; null if nothing does.
  [[nodiscard]] std::optional<Fetch> train_fetch() const;
  [[nodiscard]] Node train_node() const;
  [[nodiscard]] const Signature* signature(std::string_view key) const;
  [[nodiscard]] std::vector<Variable> variables_that(bool local) const;
  [[nodiscard]] std::vector<wire::QueueRunnerDefinition> queue_runners() const;

  Model* model = nullptr;  // who owns this
  OpenOptions options;
  std::string version;
  std::string source;  // the path it was opened from; empty: bytes
  bool is_saved_model = false;

  std::string bytes;  // of the MetaGraphDef; `meta` and `functions` look into it
  wire::MetaGraph meta;
  wire::FunctionLibrary functions;
  Collections collections;  // as they are now
  bool collections_changed = false;
  // Definitions of runners that were added; `collections` has those that the graph came with.
  std::vector<std::string> added_queue_runners;
  std::optional<SaverDef> saver;

  std::shared_ptr<EngineGraph> graph;
  std::shared_ptr<StepReads> reads;
  std::vector<Variable> variables;
  bool variables_are_listed = false;
  std::vector<Signature> signatures;
  std::vector<std::string> warnings;
  OwnFeeds own_feeds;

  // Pieces of a SavedModel.
  Node saved_init = nullptr;  // restores the values that came with it
  Node main_op = nullptr;     // what its maker wants to run at each start

  // Pieces that were asked for, by what they are.
  std::map<std::string, NodeOutput, std::less<>> pieces;

 private:
  [[nodiscard]] std::optional<Fetch> train_fetch_of_collection() const;
  [[nodiscard]] std::optional<Fetch> train_fetch_of_signature() const;
};

}  // namespace fermata::tensorflow
