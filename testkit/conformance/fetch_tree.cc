#include "conformance/fetch_tree.h"

#include "conformance/run_options.h"
#include "conformance/values.h"

namespace fermata::conformance {

FetchTree::FetchTree(const WatchedGraph& graph, const Json& spec) : spec_(spec) { add(graph, spec); }

void FetchTree::add(const WatchedGraph& graph, const Json& spec) {
  if (spec.is_string()) {
    fetches_.push_back(graph.fetch(spec.get<std::string>()));
  } else if (spec.is_structured()) {
    for (const Json& inner : spec) {
      add(graph, inner);
    }
  }
}

Json FetchTree::nest(const Json& spec, const std::vector<Json>& flat, std::size_t& next) {
  if (spec.is_string()) {
    return next < flat.size() ? flat[next++] : Json();
  }
  if (spec.is_array()) {
    Json list = Json::array();
    for (const Json& inner : spec) {
      list.push_back(nest(inner, flat, next));
    }
    return list;
  }
  if (spec.is_object()) {
    Json map = Json::object();
    for (const auto& [key, inner] : spec.items()) {
      map[key] = nest(inner, flat, next);
    }
    return map;
  }
  return nullptr;
}

Json FetchTree::values(const ResultsView& results) const {
  std::vector<Json> flat;
  for (std::size_t i = 0; i < results.size(); ++i) {
    flat.push_back(plain(results[i]));
  }
  std::size_t next = 0;
  return nest(spec_, flat, next);
}

Json FetchTree::values(const std::vector<Tensor>& results) const {
  std::vector<Json> flat;
  for (const Tensor& result : results) {
    flat.push_back(plain(result.view()));
  }
  std::size_t next = 0;
  return nest(spec_, flat, next);
}

SessionRunArgs request_of(const WatchedGraph& graph, const FetchTree& fetches, const Json& feeds,
                          const Json& options) {
  SessionRunArgs args(fetches.fetches());
  if (feeds.is_object()) {
    for (const auto& [name, value] : feeds.items()) {
      graph.feed(args, name, value);
    }
  }
  if (!options.is_null()) {
    args.set_options(options_of(options));
  }
  return args;
}

}  // namespace fermata::conformance
