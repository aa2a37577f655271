#include <filesystem>
#include <fstream>
#include <optional>

#include "conformance/engine.h"
#include "conformance/errors.h"
#include "conformance/values.h"
#include "fermata/tensorflow.h"

namespace fermata::conformance {
namespace {

Json normal(Json spec) {
  if (!spec.is_object()) {
    spec = Json::object();
  }
  spec.erase("name");
  return spec;
}

// A model is neither copied nor moved, so it is made where it stays.
struct Opened {
  explicit Opened(const std::string& path) : model(tensorflow::open(path)) {}
  tensorflow::Model model;
};

class TensorFlowEngine : public Engine {
 public:
  explicit TensorFlowEngine(const std::string& folder)
      : folder_(std::filesystem::absolute(folder).string() + "/graphs") {
    std::ifstream file(folder_ + "/index.json");
    index_ = file ? Json::parse(file) : Json::array();
  }

  [[nodiscard]] std::string name() const override { return "tensorflow"; }

  [[nodiscard]] EngineGraph counter(const Json& spec) const override {
    for (const Json& entry : index_) {
      if (equal(normal(entry["graph"]), normal(spec))) {
        EngineGraph graph = open(entry);
        add_savers(spec, *graph.graph);
        return graph;
      }
    }
    throw NotExpressible("there is no file of the graph " + text_of(spec));
  }

 private:
  // A MetaGraph has no room for tensors in the collection of savers.
  static void add_savers(const Json& spec, Graph& graph) {
    std::size_t place = 0;
    for (const Json& collection : member(spec, "collections")) {
      const std::string name = "collected_" + std::to_string(place++) + ":0";
      if (collection == "savers") {
        graph.add_to_collection("savers", name);
      }
    }
  }

  [[nodiscard]] EngineGraph open(const Json& entry) const {
    const auto opened = std::make_shared<Opened>(folder_ + "/" + entry["file"].get<std::string>());
    const Json& unseen = entry["unseen"];
    EngineGraph graph;
    graph.keep = opened;
    graph.graph = &opened->model;
    graph.step_read = entry["step_read"].is_string() ? entry["step_read"].get<std::string>() : "";
    graph.unseen_step = unseen.value("step", "");
    graph.unseen_w = unseen.value("w", "");
    graph.set_step = [set = unseen.value("set_step", ""), value = unseen.value("set_step_value", "")](
                         Session& session, Step step) {
      SessionRunArgs args({set});
      args.feed(value, Tensor::scalar(std::int64_t{step}));
      static_cast<void>(session.run(args));
    };
    return graph;
  }

  std::string folder_;
  Json index_;
};

}  // namespace

std::unique_ptr<Engine> make_tensorflow_engine(const std::string& folder) {
  return std::make_unique<TensorFlowEngine>(folder);
}

}  // namespace fermata::conformance
