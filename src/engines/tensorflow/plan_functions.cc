// The plan functions of the boundary.
#include "engines/tensorflow/graph.h"
#include "engines/tensorflow/plan.h"
#include "engines/tensorflow/status.h"

namespace fermata::tensorflow_plugin {
namespace {

std::vector<TF_Output> to_outputs(const FermataOutput* outputs, int32_t count, const char* role) {
  std::vector<TF_Output> list;
  for (int32_t i = 0; i < count; ++i) {
    list.push_back(as_output(outputs[i]));
    if (!exists(list.back())) {
      throw Failure(TF_INVALID_ARGUMENT, std::string(role) + " " + std::to_string(i) +
                                             " is an output that its operation does not have");
    }
  }
  return list;
}

void* plan_new(void* session, const FermataOutput* fetches, int32_t num_fetches, void* const* targets,
               int32_t num_targets, const FermataOutput* feeds, int32_t num_feeds, const void* run_options,
               uint64_t run_options_size, FermataStatus* status) {
  return guarded(status, [&]() -> void* {
    PlanRequest request;
    request.fetches = to_outputs(fetches, num_fetches, "fetch");
    for (int32_t i = 0; i < num_targets; ++i) request.targets.push_back(as_operation(targets[i]));
    request.feeds = to_outputs(feeds, num_feeds, "feed");
    if (run_options_size > 0)
      request.run_options.assign(static_cast<const char*>(run_options), run_options_size);
    return new Plan(*static_cast<SessionHandle*>(session), std::move(request));
  });
}

void plan_delete(void* plan) { delete static_cast<Plan*>(plan); }

void* outputs_new(void* plan) {
  try {
    return static_cast<Plan*>(plan)->make_outputs().release();
  } catch (...) {
    return nullptr;
  }
}

void outputs_delete(void* outputs) { delete static_cast<Outputs*>(outputs); }

void plan_run(void* plan, void* const* feeds, const void* run_options, uint64_t run_options_size,
              void* outputs, FermataTensorView* views, FermataBytesSink metadata, void* metadata_user,
              FermataStatus* status) {
  guarded(status, [&] {
    const TF_Buffer options = borrowed(run_options, run_options_size);
    const RunExtras extras{run_options != nullptr ? &options : nullptr, metadata, metadata_user};
    static_cast<Plan*>(plan)->run(feeds, extras, *static_cast<Outputs*>(outputs), views);
  });
}

}  // namespace

void add_plan_functions(FermataPluginApi& api) {
  api.plan_new = plan_new;
  api.plan_delete = plan_delete;
  api.outputs_new = outputs_new;
  api.outputs_delete = outputs_delete;
  api.plan_run = plan_run;
}

}  // namespace fermata::tensorflow_plugin
