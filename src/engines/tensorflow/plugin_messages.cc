// The few serialized messages that the tests of the plug-in need.
#include <fstream>
#include <iterator>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <stdexcept>

#include "engines/tensorflow/plugin_fixture.h"

namespace fermata::tensorflow_plugin {
namespace {

// Field numbers of tensorflow.AttrValue, TensorShapeProto, TensorProto, RunOptions, ConfigProto,
// MetaGraphDef.
constexpr int kAttrList = 1;
constexpr int kAttrString = 2;
constexpr int kAttrType = 6;
constexpr int kAttrShape = 7;
constexpr int kAttrTensor = 8;
constexpr int kListType = 6;
constexpr int kShapeDim = 2;
constexpr int kDimSize = 1;
constexpr int kTensorDType = 1;
constexpr int kTensorShape = 2;
constexpr int kTensorFloat = 5;
constexpr int kOptionsTrace = 1;
constexpr int kOptionsTimeout = 2;
constexpr int kOptionsPool = 3;
constexpr int kConfigExperimental = 16;
constexpr int kExperimentalExecutor = 3;
constexpr int kMetaGraphGraphDef = 2;

template <typename Fill>
std::string message(Fill&& fill) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  fill(writer);
  return bytes;
}

}  // namespace

std::string type_attr(int dtype) {
  return message([&](auto& attr) { attr.add_enum(kAttrType, dtype); });
}

std::string types_attr(int dtype) {
  const std::string list = message([&](auto& types) { types.add_enum(kListType, dtype); });
  return message([&](auto& attr) { attr.add_message(kAttrList, list); });
}

std::string shape_attr(const std::vector<int64_t>& dims) {
  const std::string shape = message([&](auto& sizes) {
    for (const int64_t size : dims) {
      sizes.add_message(kShapeDim, message([&](auto& dim) { dim.add_int64(kDimSize, size); }));
    }
  });
  return message([&](auto& attr) { attr.add_message(kAttrShape, shape); });
}

std::string string_attr(const std::string& text) {
  return message([&](auto& attr) { attr.add_bytes(kAttrString, text); });
}

std::string float_tensor_attr(float value) {
  const std::string tensor = message([&](auto& fields) {
    fields.add_enum(kTensorDType, kFloat);
    fields.add_message(kTensorShape, std::string());
    fields.add_float(kTensorFloat, value);
  });
  return message([&](auto& attr) { attr.add_message(kAttrTensor, tensor); });
}

std::string timeout_options(int milliseconds) {
  return message([&](auto& options) { options.add_int64(kOptionsTimeout, milliseconds); });
}

std::string caller_thread_options() {
  return message([&](auto& options) { options.add_int32(kOptionsPool, -1); });
}

std::string trace_options() {
  constexpr int kFullTrace = 3;
  return message([&](auto& options) { options.add_enum(kOptionsTrace, kFullTrace); });
}

std::string single_threaded_config() {
  const std::string experimental =
      message([&](auto& fields) { fields.add_string(kExperimentalExecutor, "SINGLE_THREADED_EXECUTOR"); });
  return message([&](auto& config) { config.add_message(kConfigExperimental, experimental); });
}

std::string read_graph_def(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  protozero::pbf_reader meta_graph(bytes);
  if (!meta_graph.next(kMetaGraphGraphDef)) throw std::runtime_error(path + " is no MetaGraphDef");
  return meta_graph.get_string();
}

std::string fixture_path(const std::string& name) {
  return std::string(FERMATA_TEST_FIXTURES) + "/" + name + ".meta";
}

}  // namespace fermata::tensorflow_plugin
