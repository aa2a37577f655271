// The one function that leaves the plug-in, and the table it hands out.
#include "engines/plugin_abi.h"
#include "engines/tensorflow/fed_value.h"
#include "engines/tensorflow/graph.h"
#include "engines/tensorflow/plan.h"
#include "engines/tensorflow/runtime.h"
#include "engines/tensorflow/session.h"
#include "engines/tensorflow/status.h"

namespace fermata::tensorflow_plugin {
namespace {

const char* runtime_version() { return TF_Version(); }

int32_t has_prepared_calls() { return runtime().prepared_calls ? 1 : 0; }

FermataPluginApi make_api() {
  FermataPluginApi api{};
  api.abi = FERMATA_PLUGIN_ABI;
  api.struct_size = sizeof(FermataPluginApi);
  api.runtime_version = runtime_version;
  api.has_prepared_calls = has_prepared_calls;
  add_graph_functions(api);
  add_session_functions(api);
  add_value_functions(api);
  add_plan_functions(api);
  return api;
}

const FermataPluginApi* open(uint32_t abi, const FermataHost& host) {
  if (abi != FERMATA_PLUGIN_ABI) {
    throw Failure(TF_FAILED_PRECONDITION, "the TensorFlow plug-in speaks version " +
                                              std::to_string(FERMATA_PLUGIN_ABI) +
                                              " of the boundary and the library version " +
                                              std::to_string(abi) + ": install both from one build");
  }
  set_up_runtime(host);
  static const FermataPluginApi api = make_api();
  return &api;
}

}  // namespace
}  // namespace fermata::tensorflow_plugin

extern "C" __attribute__((visibility("default"))) const FermataPluginApi* fermata_plugin_v1(
    uint32_t abi, const FermataHost* host, FermataStatus* status) {
  namespace plugin = fermata::tensorflow_plugin;
  return plugin::guarded(status, [&] { return plugin::open(abi, *host); });
}
