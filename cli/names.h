// What the NAMEs of the command line stand for in a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/step_values.h"
#include "fermata/tensorflow.h"

namespace fermata::cli {

// Each NAME is a tensor ("loss:0"), an operation ("loss"), or a name of the signature that trains. A variable
// stands for its value, where the graph reads it. Throws: Error kNotFound with the nearest names.
[[nodiscard]] std::vector<NamedOutput> find_values(const tensorflow::Model& model,
                                                   const std::vector<std::string>& names);

// What the model offers as its loss, under the shortest name it has.
[[nodiscard]] std::optional<NamedOutput> default_value(const tensorflow::Model& model,
                                                       const std::string& train_signature);

// How a user would write it: without ":0".
[[nodiscard]] std::string plain_name(const Output& tensor);

// The shortest name for a tensor that is fed: its own, or that of the signature that trains.
[[nodiscard]] std::string input_name(const tensorflow::Model& model, const std::string& train_signature,
                                     const Output& tensor);

// Names for an evaluation. A signature that has all the values, and does not train, lends its names; without
// one they are tensors of the graph. Throws: UsageError for a value whose computation trains, Error
// kNotFound.
class EvaluationNames {
 public:
  EvaluationNames(const tensorflow::Model& model, const std::string& train_signature,
                  const std::vector<std::string>& values);

  [[nodiscard]] const std::vector<NamedOutput>& values() const noexcept { return values_; }
  [[nodiscard]] Output input(const std::string& name) const;

 private:
  const tensorflow::Model& model_;
  const tensorflow::Signature* signature_;
  std::vector<NamedOutput> values_;
};

}  // namespace fermata::cli
