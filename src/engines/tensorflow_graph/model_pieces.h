// The pieces a Scaffold asks a model for.
#pragma once

#include <optional>

#include "engines/tensorflow_graph/model_state.h"

namespace fermata::tensorflow {

// Each adds to the graph at its first call. Throws: Misuse by `require_open` if it would have to add and may
// not.
class ModelPieces {
 public:
  using RequireOpen = std::function<void(std::string_view what)>;
  ModelPieces(Model::Impl& model, RequireOpen require_open)
      : model_(model), require_open_(std::move(require_open)) {}

  [[nodiscard]] Node init_op();
  [[nodiscard]] NodeOutput ready_op();
  [[nodiscard]] NodeOutput ready_for_local_init_op();
  [[nodiscard]] Node local_init_op();
  [[nodiscard]] std::optional<NodeOutput> summary_op();
  [[nodiscard]] std::optional<SaverDef> saver();

 private:
  template <typename Make>
  NodeOutput piece(std::string_view name, Make make);
  [[nodiscard]] std::vector<Node> operations_of(std::string_view collection) const;
  [[nodiscard]] std::vector<Node> table_initializers() const;

  Model::Impl& model_;
  RequireOpen require_open_;
};

}  // namespace fermata::tensorflow
