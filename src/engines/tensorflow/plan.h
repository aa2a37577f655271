// One prepared request.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/plugin_abi.h"
#include "engines/tensorflow/fed_value.h"
#include "engines/tensorflow/feed_place.h"
#include "engines/tensorflow/prepared_call.h"
#include "engines/tensorflow/session.h"
#include "engines/tensorflow/shown_value.h"

namespace fermata::tensorflow_plugin {

struct PlanRequest {
  std::vector<TF_Output> fetches;
  std::vector<TF_Operation*> targets;
  std::vector<TF_Output> feeds;
  std::string run_options;  // a serialized tensorflow.RunOptions
};

// Options and record of a single run.
struct RunExtras {
  const TF_Buffer* options = nullptr;
  FermataBytesSink metadata = nullptr;
  void* metadata_user = nullptr;
};

// What one run at a time needs and leaves. All of it is used again for the next run.
struct Outputs {
  ~Outputs() { delete_results(); }

  void delete_results() noexcept;

  std::vector<ShownValue> shown;
  // For a prepared call.
  std::unique_ptr<CallTensors> call_tensors;
  std::vector<const tensorflow::Tensor*> call_feeds;
  // For TF_SessionRun.
  StatusHandle status;
  std::vector<TF_Tensor*> feeds;
  std::vector<TF_Tensor*> results;
};

// Runs by a prepared call where it can; a run with options of its own, or one that is to be recorded, goes
// through the C API. Threads: run may be called from several threads at once, each with outputs of its own.
class Plan {
 public:
  // Throws: Failure.
  Plan(SessionHandle session, PlanRequest request);

  [[nodiscard]] std::unique_ptr<Outputs> make_outputs() const;

  // Throws: Failure; the outputs then hold nothing.
  void run(void* const* feeds, const RunExtras& extras, Outputs& outputs, FermataTensorView* views);

 private:
  [[nodiscard]] std::unique_ptr<PreparedCall> prepare() const;
  void require_accepted(void* const* feeds) const;
  void run_prepared(void* const* feeds, Outputs& outputs, FermataTensorView* views);
  void run_by_c_api(void* const* feeds, const RunExtras& extras, Outputs& outputs, FermataTensorView* views);

  const SessionHandle session_;
  const PlanRequest request_;
  const bool copies_;
  std::vector<FeedPlace> places_;
  std::unique_ptr<PreparedCall> prepared_;  // null: every run goes through the C API
};

void add_plan_functions(FermataPluginApi& api);

}  // namespace fermata::tensorflow_plugin
