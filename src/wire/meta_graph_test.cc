#include "wire/meta_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fermata::wire {
namespace {

// A field whose value is shorter than 128 bytes.
std::string field(int number, const std::string& value) {
  return static_cast<char>(number << 3 | 2) + std::string(1, static_cast<char>(value.size())) + value;
}
std::string number_field(int number, int value) {
  return static_cast<char>(number << 3) + std::string(1, static_cast<char>(value));
}

const std::string kGraph = field(2, field(1, field(1, "node")));

Fault fault_of(const std::string& bytes) {
  try {
    static_cast<void>(read_meta_graph(bytes));
  } catch (const Malformed& malformed) {
    return malformed.fault();
  }
  ADD_FAILURE() << "the bytes were read";
  return {};
}

TEST(MetaGraphTest, ReadsWhatBelongsToAGraph) {
  const std::string saver = field(1, "save/Const:0") + field(2, "save/Identity:0") +
                            field(3, "save/restore_all") + number_field(4, 5) + number_field(5, 1);
  const std::string collection =
      field(1, "train_op") + field(2, field(1, field(1, "train") + field(1, "train")));
  const std::string tensor = field(1, "x:0") + number_field(2, 1) + field(3, field(2, number_field(1, 7)));
  const std::string signature = field(1, "train") + field(2, field(1, field(1, "x") + field(2, tensor)));
  const std::string bytes = field(1, field(4, "serve") + field(5, "2.21.0")) + kGraph + field(3, saver) +
                            field(4, collection) + field(5, signature) +
                            field(6, field(1, field(1, "words:0")) + field(2, "words.txt")) +
                            field(7, "objects");
  const MetaGraph meta = read_meta_graph(bytes);
  EXPECT_EQ(meta.tags, std::vector<std::string>{"serve"});
  EXPECT_EQ(meta.tensorflow_version, "2.21.0");
  EXPECT_EQ(meta.saver->restore_op_name, "save/restore_all");
  EXPECT_TRUE(meta.saver->sharded);
  EXPECT_EQ(meta.collections.at("train_op").nodes, (std::vector<std::string>{"train", "train"}));
  EXPECT_EQ(meta.signatures.at("train").inputs.at("x").name, "x:0");
  EXPECT_EQ(meta.signatures.at("train").inputs.at("x").shape, std::vector<std::int64_t>{7});
  EXPECT_EQ(meta.assets.front().filename, "words.txt");
  EXPECT_EQ(meta.object_graph, "objects");
}

TEST(MetaGraphTest, OtherContentIsForeign) {
  EXPECT_EQ(fault_of("This is a text."), Fault::kForeign);
  EXPECT_EQ(fault_of(number_field(1, 3)), Fault::kForeign);
  EXPECT_EQ(fault_of(field(9, "later")), Fault::kForeign);
  // A MetaGraph without a graph, and one whose collections are something else.
  EXPECT_EQ(fault_of(field(1, "")), Fault::kForeign);
  EXPECT_EQ(fault_of(kGraph + field(4, "\xFF\xFF")), Fault::kForeign);
}

TEST(MetaGraphTest, CutOffIsTruncated) {
  EXPECT_EQ(fault_of(""), Fault::kEmpty);
  EXPECT_EQ(fault_of(kGraph.substr(0, kGraph.size() - 1)), Fault::kTruncated);
  EXPECT_EQ(fault_of(kGraph + "\x1A"), Fault::kTruncated);
  EXPECT_EQ(fault_of(kGraph + "\x1A\x80"), Fault::kTruncated);
}

TEST(MetaGraphTest, ReadsAVariable) {
  const std::string slice =
      field(1, "w") + field(2, "\x0A\x04") + field(3, std::string("\4\0", 2)) + field(4, "\3\4");
  const VariableDefinition variable =
      read_variable_definition(field(1, "w/part_1:0") + field(2, "w/part_1/Assign") + field(4, slice) +
                               number_field(5, 1) + number_field(7, 1));
  EXPECT_EQ(variable.name, "w/part_1:0");
  EXPECT_TRUE(variable.is_resource);
  EXPECT_TRUE(variable.trainable);
  EXPECT_EQ(variable.slice->full_name, "w");
  EXPECT_EQ(variable.slice->full_shape, (std::vector<std::int64_t>{10, 4}));
  EXPECT_EQ(variable.slice->offset, (std::vector<std::int64_t>{4, 0}));
}

// Contract QR-13.
TEST(MetaGraphTest, QueueRunnerEndsWithOutOfRangeUnlessItSaysMore) {
  const std::string runner = field(1, "queue") + field(2, "enqueue") + field(3, "close") + field(4, "cancel");
  EXPECT_EQ(read_queue_runner_definition(runner).closed_codes, std::vector<std::int64_t>{11});
  EXPECT_EQ(read_queue_runner_definition(runner + field(5, "\x0B\x01")).closed_codes,
            (std::vector<std::int64_t>{11, 1}));
}

TEST(MetaGraphTest, AQueueRunnerThatWasWrittenIsReadAsItWas) {
  const QueueRunnerDefinition runner{"queue", {"first", "second"}, "close", "cancel", {11, 1}};
  const QueueRunnerDefinition read = read_queue_runner_definition(write_queue_runner_definition(runner));
  EXPECT_EQ(read.queue, "queue");
  EXPECT_EQ(read.enqueue_ops, runner.enqueue_ops);
  EXPECT_EQ(read.close_op, "close");
  EXPECT_EQ(read.cancel_op, "cancel");
  EXPECT_EQ(read.closed_codes, runner.closed_codes);
  EXPECT_EQ(read_queue_runner_definition(write_queue_runner_definition({"queue", {"first"}, "", "", {}}))
                .closed_codes,
            std::vector<std::int64_t>{11});
}

TEST(MetaGraphTest, OtherPartsStayWhenSomeAreReplaced) {
  const std::string bytes = field(1, field(4, "serve")) + kGraph + field(7, "objects");
  std::map<std::string, Collection, std::less<>> replaced;
  replaced["train_op"].nodes = {"train"};
  replaced["variables"].messages = {"message"};
  replaced["empty"];
  const SaverDefinition saver{"a:0", "b:0", "c", 3, true, 2.5F};
  const std::string written = replace_in_meta_graph(bytes, field(1, field(1, "other")), replaced, saver);
  const MetaGraph meta = read_meta_graph(written);
  EXPECT_EQ(meta.tags, std::vector<std::string>{"serve"});
  EXPECT_EQ(meta.graph_def, field(1, field(1, "other")));
  EXPECT_EQ(meta.object_graph, "objects");
  EXPECT_EQ(meta.collections.size(), 2U);
  EXPECT_EQ(meta.collections.at("variables").messages, std::vector<std::string>{"message"});
  EXPECT_EQ(meta.saver->save_tensor_name, "b:0");
  EXPECT_EQ(meta.saver->max_to_keep, 3);
  EXPECT_EQ(meta.saver->keep_checkpoint_every_n_hours, 2.5F);
}

}  // namespace
}  // namespace fermata::wire
