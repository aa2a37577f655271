#include <nlohmann/json.hpp>

#include "cli/inspection.h"
#include "cli/json_value.h"

namespace fermata::cli {
namespace {

using nlohmann::ordered_json;

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

// null for an unknown rank, −1 for an unknown size.
ordered_json shape_json(const TensorSpec& spec) {
  return spec.shape ? ordered_json(*spec.shape) : ordered_json();
}

ordered_json tensor_json(const std::string& name, const std::string& tensor, const TensorSpec& spec) {
  return {{"name", name}, {"tensor", tensor}, {"dtype", dtype_name(spec.dtype)}, {"shape", shape_json(spec)}};
}

ordered_json entries_json(const std::vector<tensorflow::Signature::Entry>& entries) {
  ordered_json list = ordered_json::array();
  for (const tensorflow::Signature::Entry& entry : entries) {
    list.push_back(tensor_json(entry.name, entry.tensor, entry.spec));
  }
  return list;
}

ordered_json signatures_json(const Inspection& found) {
  ordered_json json = ordered_json::object();
  for (const tensorflow::Signature& signature : found.signatures) {
    json[signature.key] = {{"inputs", entries_json(signature.inputs)},
                           {"outputs", entries_json(signature.outputs)}};
  }
  return json;
}

ordered_json variables_json(const Inspection& found) {
  ordered_json list = ordered_json::array();
  for (const Inspection::Variable& variable : found.variables) {
    list.push_back({{"name", variable.info.name},
                    {"dtype", dtype_name(variable.info.spec.dtype)},
                    {"shape", shape_json(variable.info.spec)},
                    {"bytes", variable.bytes ? ordered_json(*variable.bytes) : ordered_json()},
                    {"trainable", variable.info.trainable},
                    {"local", variable.info.local}});
  }
  return list;
}

ordered_json saver_json(const Inspection& found) {
  if (!found.saver) {
    return nullptr;
  }
  return {{"filename_tensor", found.saver->filename_tensor_name},
          {"save_tensor", found.saver->save_tensor_name},
          {"restore_op", found.saver->restore_op_name},
          {"sharded", found.saver->sharded},
          {"max_to_keep", found.saver->max_to_keep}};
}

}  // namespace

std::string inspection_json(const Inspection& found) {
  ordered_json inputs = ordered_json::array();
  for (const Inspection::Input& input : found.inputs) {
    inputs.push_back(tensor_json(input.name, input.tensor, input.spec));
  }
  ordered_json pieces = ordered_json::object();
  for (const auto& [key, name] : found.pieces) {
    pieces[key] = name;
  }
  ordered_json collections = ordered_json::object();
  for (const auto& [key, names] : found.collections) {
    collections[key] = names;
  }
  const ordered_json json = {{"model", found.model},
                             {"kind", found.saved_model ? "saved_model" : "meta_graph"},
                             {"tensorflow", found.tensorflow_version},
                             {"inputs", inputs},
                             {"own_input", found.own_input},
                             {"train_op", text_or_null(found.train_op)},
                             {"loss", text_or_null(found.loss)},
                             {"global_step", text_or_null(found.global_step)},
                             {"pieces", pieces},
                             {"saver", saver_json(found)},
                             {"signatures", signatures_json(found)},
                             {"collections", collections},
                             {"variables", variables_json(found)},
                             {"unrepeatable", found.unrepeatable},
                             {"warnings", found.warnings},
                             {"missing", found.missing},
                             {"command", text_or_null(found.command)}};
  return json_text(json, 2) + "\n";
}

}  // namespace fermata::cli
