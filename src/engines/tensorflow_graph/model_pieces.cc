#include "engines/tensorflow_graph/model_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "engines/tensorflow_graph/collection_names.h"
#include "engines/tensorflow_graph/default_pieces.h"
#include "engines/tensorflow_graph/new_saver.h"
#include "fermata/error.h"

namespace fermata::tensorflow {
namespace {

constexpr std::array<std::string_view, 6> kTableInitializers = {"InitializeTable",
                                                                "InitializeTableV2",
                                                                "InitializeTableFromTextFile",
                                                                "InitializeTableFromTextFileV2",
                                                                "LookupTableImportV2",
                                                                "MakeIterator"};

void append(std::vector<Node>& nodes, const std::vector<Node>& more) {
  for (Node const node : more) {
    if (std::ranges::count(nodes, node) == 0) {
      nodes.push_back(node);
    }
  }
}

// Nothing has to be fed for it.
bool stands_alone(const EngineGraph& graph, Node node) {
  const NodeSet needed = with_ancestors(graph, {node});
  return std::ranges::none_of(needed, [&](Node n) { return graph.type(n) == "Placeholder"; });
}

}  // namespace

template <typename Make>
NodeOutput ModelPieces::piece(std::string_view name, Make make) {
  const auto found = model_.pieces.find(name);
  if (found != model_.pieces.end()) {
    return found->second;
  }
  require_open_(name);
  return model_.pieces.emplace(name, make()).first->second;
}

std::vector<Node> ModelPieces::operations_of(std::string_view collection) const {
  std::vector<Node> operations;
  for (const std::string& name : names_of_collection(*model_.graph, model_.collections, collection)) {
    if (Node const node = model_.graph->find(name.substr(0, name.rfind(':')))) {
      append(operations, {node});
    }
  }
  return operations;
}

// A SavedModel's own values come in the place of initial ones; a variable that it does not store has only
// those.
Node ModelPieces::init_op() {
  return piece("init_op",
               [&]() -> NodeOutput {
                 std::vector<Node> operations = operations_of("saved_model_initializers");
                 const bool restores = model_.saved_init != nullptr;
                 std::vector<RestoredEntry> stored;
                 if (restores) {
                   stored =
                       find_restored_entries(GraphIndex(*model_.graph), model_.functions, model_.saved_init);
                   operations.push_back(model_.saved_init);
                 }
                 for (const Variable& variable : model_.variables_that(/*local=*/false)) {
                   const bool is_stored =
                       restores &&
                       (stored.empty() ||
                        std::ranges::find(stored, variable.node, &RestoredEntry::variable) != stored.end());
                   if (variable.initializer != nullptr && !is_stored) {
                     append(operations, {variable.initializer});
                   }
                 }
                 Node const init = add_group(*model_.graph, "init", operations);
                 if (restores) {
                   model_.own_feeds[init] = model_.own_feeds[model_.saved_init];
                 }
                 return {init, 0};
               })
      .node;
}

NodeOutput ModelPieces::ready_op() {
  return piece("ready_op", [&] {
    return add_uninitialized_names(*model_.graph, "report_uninitialized_variables", model_.variables);
  });
}

NodeOutput ModelPieces::ready_for_local_init_op() {
  return piece("ready_for_local_init_op", [&] {
    return add_uninitialized_names(*model_.graph, "report_uninitialized_global_variables",
                                   model_.variables_that(/*local=*/false));
  });
}

// Without the collection, what fills tables and starts data sets is found by what it is.
std::vector<Node> ModelPieces::table_initializers() const {
  std::vector<Node> operations = operations_of("table_initializer");
  if (!operations.empty()) {
    return operations;
  }
  for (Node const node : GraphIndex(*model_.graph).nodes_of_type(kTableInitializers)) {
    if (stands_alone(*model_.graph, node)) {
      operations.push_back(node);
    }
  }
  return operations;
}

Node ModelPieces::local_init_op() {
  return piece("local_init_op",
               [&]() -> NodeOutput {
                 std::vector<Node> operations;
                 if (model_.main_op != nullptr) {
                   operations.push_back(model_.main_op);
                 } else {
                   for (const Variable& variable : model_.variables_that(/*local=*/true)) {
                     if (variable.initializer != nullptr) {
                       append(operations, {variable.initializer});
                     }
                   }
                   append(operations, table_initializers());
                 }
                 Node const init = add_group(*model_.graph, "local_init", operations);
                 if (const auto feeds = model_.own_feeds.find(model_.main_op);
                     feeds != model_.own_feeds.end()) {
                   model_.own_feeds[init] = feeds->second;
                 }
                 return {init, 0};
               })
      .node;
}

std::optional<NodeOutput> ModelPieces::summary_op() {
  std::vector<NodeOutput> summaries;
  for (const std::string& name : names_of_collection(*model_.graph, model_.collections, "summaries")) {
    if (const std::optional<NodeOutput> output = model_.graph->find_output(name)) {
      summaries.push_back(*output);
    }
  }
  if (summaries.empty()) {
    return std::nullopt;
  }
  return piece("summary_op", [&] { return add_merged_summary(*model_.graph, summaries); });
}

std::optional<SaverDef> ModelPieces::saver() {
  if (!model_.saver && !model_.variables_that(/*local=*/false).empty()) {
    require_open_("a saver");
    model_.saver = add_saver(*model_.graph, model_.variables);
  }
  return model_.saver;
}

}  // namespace fermata::tensorflow
