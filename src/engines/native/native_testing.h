// What the tests of this engine share.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fermata/error.h"
#include "fermata/native.h"

namespace fermata::native {

// A run for its effect.
inline void run(Session& session, const SessionRunArgs& args) { static_cast<void>(session.run(args)); }
inline void run(Session& session, const Fetch& fetch) { static_cast<void>(session.run(fetch)); }

// A session in which everything is initialised.
inline std::unique_ptr<Session> ready_session(Graph& graph) {
  auto session = graph.create_session({});
  run(*session, graph.default_init_op());
  run(*session, graph.default_local_init_op());
  return session;
}

// "INVALID_ARGUMENT: the text"; "nothing" if nothing was thrown.
template <typename Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return code_name(error.code()) + ": " + error.what();
  }
  return "nothing";
}

// One run of a plan of its own, with the step after it.
inline std::optional<Step> step_of_run(Session& session, std::vector<Operation> targets) {
  PlanRequest request;
  request.targets = std::move(targets);
  request.read_step = true;
  const auto plan = session.prepare(request);
  const auto outputs = plan->make_outputs();
  plan->run({}, nullptr, *outputs, nullptr);
  return outputs->step;
}

inline std::vector<std::string> texts_of(const Tensor& value) {
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < value.size(); ++i) {
    texts.emplace_back(value.view().string(i));
  }
  return texts;
}

inline void nothing(StepOutputs& /*out*/) {}

}  // namespace fermata::native
