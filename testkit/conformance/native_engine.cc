#include "conformance/engine.h"
#include "conformance/native_counter.h"

namespace fermata::conformance {
namespace {

class NativeEngine : public Engine {
 public:
  [[nodiscard]] std::string name() const override { return "native"; }
  [[nodiscard]] EngineGraph counter(const Json& spec) const override {
    const auto made = std::make_shared<NativeCounter>(spec);
    EngineGraph graph = made->described();
    graph.keep = made;
    return graph;
  }
};

}  // namespace

std::unique_ptr<Engine> make_native_engine() { return std::make_unique<NativeEngine>(); }

}  // namespace fermata::conformance
