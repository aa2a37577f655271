#include "engines/tensorflow_graph/collection_names.h"

#include "wire/malformed.h"

namespace fermata::tensorflow {
namespace {

// Variables and queue runners both say their name first.
std::string first_name(const EngineGraph& graph, const std::string& message) {
  try {
    const std::string name = wire::read_variable_definition(message).name;
    return !name.empty() && graph.find_output(name) ? name : std::string();
  } catch (const wire::Malformed&) {
    return {};  // Some other message, of which nothing is to be told.
  }
}

}  // namespace

std::vector<std::string> names_of_collection(const EngineGraph& graph, const Collections& collections,
                                             std::string_view key) {
  const auto found = collections.find(key);
  if (found == collections.end()) {
    return {};
  }
  std::vector<std::string> names = found->second.nodes;
  for (const std::string& message : found->second.messages) {
    if (std::string name = first_name(graph, message); !name.empty()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace fermata::tensorflow
