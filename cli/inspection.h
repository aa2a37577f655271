// What a model offers to a trainer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fermata/graph.h"
#include "fermata/session.h"
#include "fermata/tensorflow.h"

namespace fermata::cli {

struct Inspection {
  struct Input {
    std::string name;    // as train takes it
    std::string tensor;  // "train_x:0"
    TensorSpec spec;
  };
  struct Variable {
    VariableInfo info;
    // Absent where the shape is not fully known, or the elements have no fixed size.
    std::optional<std::int64_t> bytes;
  };

  std::string model;
  bool saved_model = false;
  std::string tensorflow_version;
  std::vector<Input> inputs;
  // Empty: none.
  std::string train_op;
  std::string loss;
  std::string global_step;
  // "init_op" and the like, with the name that the graph's collection has; only those that are there.
  std::vector<std::pair<std::string, std::string>> pieces;
  std::optional<SaverDef> saver;
  std::vector<tensorflow::Signature> signatures;
  std::vector<std::pair<std::string, std::vector<std::string>>> collections;
  std::vector<Variable> variables;
  bool own_input = false;
  // Operations after which a resumed run differs from an uninterrupted one.
  std::vector<std::string> unrepeatable;
  std::vector<std::string> warnings;
  // What train would refuse, one sentence each.
  std::vector<std::string> missing;
  // The command line that trains it; empty if something is missing that no option can give.
  std::string command;
};

[[nodiscard]] Inspection inspect(tensorflow::Model& model, const std::string& path,
                                 const std::string& signature);

// For people, several lines.
[[nodiscard]] std::string inspection_text(const Inspection& inspection);

// One JSON object, indented.
[[nodiscard]] std::string inspection_json(const Inspection& inspection);

}  // namespace fermata::cli
