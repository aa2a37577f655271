#include "hooks/graph_record.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

namespace fermata::hooks {
namespace {

struct Record {
  std::weak_ptr<EventWriter> writer;
};

// True if it was not there before.
bool remember(const std::shared_ptr<EventWriter>& writer) {
  static std::mutex mutex;
  static std::vector<Record> records;
  const std::lock_guard lock(mutex);
  std::erase_if(records, [](const Record& record) { return record.writer.expired(); });
  const bool known = std::any_of(records.begin(), records.end(),
                                 [&](const Record& record) { return record.writer.lock() == writer; });
  if (!known) {
    records.push_back({writer});
  }
  return !known;
}

}  // namespace

std::shared_ptr<EventWriter> writer_of(const std::shared_ptr<EventWriter>& given,
                                       const std::string& output_dir) {
  return given || output_dir.empty() ? given : shared_event_writer(output_dir);
}

void record_graph_once(const std::shared_ptr<EventWriter>& writer, const Graph& graph) {
  if (remember(writer)) {
    record_graph(writer, graph);
  }
}

void record_graph(const std::shared_ptr<EventWriter>& writer, const Graph& graph) {
  const std::string graph_def = graph.graph_def();
  if (graph_def.empty()) {
    return;
  }
  writer->add_graph_def(graph_def);
  const std::string meta_graph_def = graph.meta_graph_def();
  if (!meta_graph_def.empty()) {
    writer->add_meta_graph_def(meta_graph_def);
  }
}

}  // namespace fermata::hooks
