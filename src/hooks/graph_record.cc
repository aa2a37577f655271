#include "hooks/graph_record.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace fermata::hooks {
namespace {

struct Record {
  std::weak_ptr<EventWriter> writer;
  std::size_t graph_hash;
};

// True if it was not there before.
bool remember(const std::shared_ptr<EventWriter>& writer, std::size_t graph_hash) {
  static std::mutex mutex;
  static std::vector<Record> records;
  const std::lock_guard lock(mutex);
  std::erase_if(records, [](const Record& record) { return record.writer.expired(); });
  const bool known = std::any_of(records.begin(), records.end(), [&](const Record& record) {
    return record.graph_hash == graph_hash && record.writer.lock() == writer;
  });
  if (!known) {
    records.push_back({writer, graph_hash});
  }
  return !known;
}

}  // namespace

void record_graph_once(const std::shared_ptr<EventWriter>& writer, const Graph& graph) {
  const std::string graph_def = graph.graph_def();
  if (graph_def.empty() || !remember(writer, std::hash<std::string>{}(graph_def))) {
    return;
  }
  writer->add_graph_def(graph_def);
  const std::string meta_graph_def = graph.meta_graph_def();
  if (!meta_graph_def.empty()) {
    writer->add_meta_graph_def(meta_graph_def);
  }
}

}  // namespace fermata::hooks
