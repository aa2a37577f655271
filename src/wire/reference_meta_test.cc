// A `.meta` that TensorFlow wrote, against what its JSON says is in it.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "wire/graph_def.h"
#include "wire/meta_graph.h"

namespace fermata::wire {
namespace {

using nlohmann::json;

class ReferenceMetaTest : public testing::Test {
 protected:
  ReferenceMetaTest() : bytes_(whole("counter.meta")), expected_(json::parse(whole("counter.json"))) {}

  static std::string whole(const std::string& name) {
    std::ifstream file(std::string(FERMATA_TEST_FIXTURES) + "/../conformance/files/meta/" + name,
                       std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::string bytes_;
  json expected_;
};

TEST_F(ReferenceMetaTest, TheSaverIsRead) {
  const MetaGraph meta = read_meta_graph(bytes_);
  EXPECT_EQ(bytes_.size(), expected_["bytes"].get<std::size_t>());
  EXPECT_EQ(meta.tensorflow_version, expected_["tensorflow_version"].get<std::string>());
  const json& saver = expected_["saver"];
  ASSERT_TRUE(meta.saver);
  EXPECT_EQ(meta.saver->filename_tensor_name, saver["filename_tensor_name"].get<std::string>());
  EXPECT_EQ(meta.saver->save_tensor_name, saver["save_tensor_name"].get<std::string>());
  EXPECT_EQ(meta.saver->restore_op_name, saver["restore_op_name"].get<std::string>());
  EXPECT_EQ(meta.saver->max_to_keep, saver["max_to_keep"].get<int>());
  EXPECT_EQ(meta.saver->sharded, saver["sharded"].get<bool>());
  EXPECT_EQ(meta.saver->keep_checkpoint_every_n_hours, saver["keep_checkpoint_every_n_hours"].get<float>());
}

TEST_F(ReferenceMetaTest, TheCollectionsAreRead) {
  const MetaGraph meta = read_meta_graph(bytes_);
  ASSERT_EQ(meta.collections.size(), expected_["collections"].size());
  for (const auto& [key, collection] : expected_["collections"].items()) {
    ASSERT_TRUE(meta.collections.contains(key)) << key;
    const Collection& read = meta.collections.at(key);
    if (collection["kind"] == "node_list") {
      EXPECT_EQ(json(read.nodes), collection["nodes"]) << key;
    } else {
      EXPECT_EQ(read.messages.size(), collection["size"].get<std::size_t>()) << key;
    }
  }
}

TEST_F(ReferenceMetaTest, TheNodesAreSeenInTheirOrder) {
  const MetaGraph meta = read_meta_graph(bytes_);
  json names = json::array();
  static_cast<void>(without_nodes(meta.graph_def, [&](std::string_view name) {
    names.push_back(std::string(name));
    return false;
  }));
  json expected = json::array();
  for (const json& node : expected_["nodes"]) {
    expected.push_back(node[0]);
  }
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace fermata::wire
