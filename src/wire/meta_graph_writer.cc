// The writing side of meta_graph.h.
#include <protozero/pbf_writer.hpp>

#include "wire/meta_graph.h"
#include "wire/top_level.h"

namespace fermata::wire {
namespace {

using protozero::pbf_writer;

void write_strings(pbf_writer& collection, std::uint32_t tag, const std::vector<std::string>& values) {
  pbf_writer list(collection, tag);
  for (const std::string& value : values) {
    list.add_bytes(1, value);
  }
}

void write_collection(pbf_writer& meta, const std::string& key, const Collection& collection) {
  pbf_writer entry(meta, 4);
  entry.add_string(1, key);
  pbf_writer value(entry, 2);
  if (collection.messages.empty()) {
    write_strings(value, 1, collection.nodes);
  } else {
    write_strings(value, 2, collection.messages);
  }
}

void write_saver(pbf_writer& meta, const SaverDefinition& saver) {
  pbf_writer message(meta, 3);
  message.add_string(1, saver.filename_tensor_name);
  message.add_string(2, saver.save_tensor_name);
  message.add_string(3, saver.restore_op_name);
  message.add_int32(4, saver.max_to_keep);
  message.add_bool(5, saver.sharded);
  message.add_float(6, saver.keep_checkpoint_every_n_hours);
  message.add_enum(7, 2);  // the format of tensor bundles
}

}  // namespace

std::string write_variable_definition(const VariableDefinition& variable) {
  std::string bytes;
  pbf_writer message(bytes);
  message.add_string(1, variable.name);
  message.add_string(2, variable.initializer);
  message.add_string(3, variable.snapshot);
  message.add_bool(5, variable.is_resource);
  message.add_string(6, variable.initial_value);
  message.add_bool(7, variable.trainable);
  return bytes;
}

std::string write_queue_runner_definition(const QueueRunnerDefinition& runner) {
  std::string bytes;
  pbf_writer message(bytes);
  message.add_string(1, runner.queue);
  for (const std::string& operation : runner.enqueue_ops) {
    message.add_string(2, operation);
  }
  message.add_string(3, runner.close_op);
  message.add_string(4, runner.cancel_op);
  message.add_packed_int64(5, runner.closed_codes.begin(), runner.closed_codes.end());
  return bytes;
}

std::string replace_in_meta_graph(std::string_view bytes, std::string_view graph_def,
                                  const std::map<std::string, Collection, std::less<>>& collections,
                                  const std::optional<SaverDefinition>& saver) {
  std::string replaced;
  pbf_writer meta(replaced);
  for_each_message(bytes, 7, [&](std::uint32_t number, std::string_view value) {
    if (number < 2 || number > 4) {
      meta.add_message(number, value.data(), value.size());
    }
  });
  meta.add_message(2, graph_def.data(), graph_def.size());
  if (saver) {
    write_saver(meta, *saver);
  }
  for (const auto& [key, collection] : collections) {
    if (!collection.nodes.empty() || !collection.messages.empty()) {
      write_collection(meta, key, collection);
    }
  }
  return replaced;
}

}  // namespace fermata::wire
