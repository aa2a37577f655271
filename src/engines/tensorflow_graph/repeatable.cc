#include "engines/tensorflow_graph/repeatable.h"

#include <algorithm>
#include <array>
#include <set>

#include "engines/tensorflow_graph/collection_names.h"
#include "engines/tensorflow_graph/graph_index.h"
#include "wire/attr_value.h"

namespace fermata::tensorflow {
namespace {

// Random numbers whose generator is inside of the operation.
constexpr std::array<std::string_view, 14> kRandom = {"RandomUniform",
                                                      "RandomUniformInt",
                                                      "RandomStandardNormal",
                                                      "TruncatedNormal",
                                                      "RandomShuffle",
                                                      "RandomGamma",
                                                      "RandomPoisson",
                                                      "RandomPoissonV2",
                                                      "Multinomial",
                                                      "RandomCrop",
                                                      "ParameterizedTruncatedNormal",
                                                      "SampleDistortedBoundingBox",
                                                      "SampleDistortedBoundingBoxV2",
                                                      "RandomShuffleQueue"};
constexpr std::array<std::string_view, 4> kIterators = {"Iterator", "IteratorV2", "OneShotIterator",
                                                        "IteratorFromStringHandleV2"};

// Where they stand in their files is in no variable.
bool is_reader(std::string_view type) {
  return type.ends_with("ReaderV2") || type.ends_with("Reader") || type == "RecordInput";
}

// What steps leave in them is in no variable.
bool is_store(std::string_view type) {
  return type == "Barrier" || type == "Stage" || type == "MapStage" || type == "OrderedMapStage";
}

bool is_queue(std::string_view type) { return type.ends_with("Queue") || type.ends_with("QueueV2"); }

bool is_iterator(std::string_view type) { return std::ranges::find(kIterators, type) != kIterators.end(); }

bool is_unrepeatable(std::string_view type) {
  return std::ranges::find(kRandom, type) != kRandom.end() || is_queue(type) || is_iterator(type) ||
         is_reader(type) || is_store(type) || type.find("ShuffleDataset") != std::string_view::npos ||
         type.starts_with("RandomDataset") || type.starts_with("ShuffleAndRepeatDataset") ||
         type.find("CandidateSampler") != std::string_view::npos;
}

class Finder {
 public:
  explicit Finder(const Model::Impl& model) : model_(model), graph_(*model.graph), index_(graph_) {}

  std::vector<std::string> find() {
    for (Node const node : index_.nodes()) {
      if (looks_at(node)) {
        if (is_unrepeatable(graph_.type(node))) {
          found_.push_back(graph_.name(node));
        }
        look_into_functions(node);
      }
    }
    return std::move(found_);
  }

 private:
  bool looks_at(Node node) {
    if (!needed_) {
      needed_ = what_trains();
    }
    return needed_->contains(node);
  }

  // What a train op needs, and what fills the queues and data sets that it takes from.
  NodeSet what_trains() {
    Node const train = model_.train_node();
    if (train == nullptr) {
      return {index_.nodes().begin(), index_.nodes().end()};
    }
    std::vector<Node> roots = {train};
    NodeSet needed;
    for (std::size_t before = 0; before != roots.size();) {
      before = roots.size();
      needed = with_ancestors(graph_, roots);
      for (Node const node : index_.nodes()) {
        if (fills(node, needed) && std::ranges::count(roots, node) == 0) {
          roots.push_back(node);
        }
      }
    }
    return needed;
  }

  bool fills(Node node, const NodeSet& needed) {
    const std::string_view type = graph_.type(node);
    if (type == "MakeIterator") {
      return needed.contains(graph_.input(node, 1).node);
    }
    return type.starts_with("QueueEnqueue") && needed.contains(graph_.input(node, 0).node);
  }

  void look_into_functions(Node node) {
    for (const char* attr :
         {"f", "dataset_factory", "then_branch", "else_branch", "body", "cond", "predicate"}) {
      if (const std::optional<std::string> value = graph_.attr(node, attr)) {
        look_into(wire::function_in_attr(*value).value_or(std::string()));
      }
    }
  }

  void look_into(const std::string& name) {
    if (name.empty() || !model_.functions.contains(name) || !seen_.insert(name).second) {
      return;
    }
    for (const wire::NodeDef& node : model_.functions.read(name).nodes) {
      if (is_unrepeatable(node.op)) {
        found_.push_back(name + "/" + std::string(node.name));
      }
      for (const auto& [attr, value] : node.attrs) {
        if (const std::optional<std::string> called = wire::function_in_attr(value)) {
          look_into(*called);
        }
      }
    }
  }

  const Model::Impl& model_;
  const EngineGraph& graph_;
  GraphIndex index_;
  std::optional<NodeSet> needed_;
  std::set<std::string> seen_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> find_unrepeatable(const Model::Impl& model) { return Finder(model).find(); }

bool feeds_itself(const Model::Impl& model) {
  if (model.model->has_queue_runners()) {
    return true;
  }
  return !GraphIndex(*model.graph).nodes_of_type(kIterators).empty();
}

}  // namespace fermata::tensorflow
