// The steps of a scenario: what its user does with the session.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "conformance/fetch_tree.h"
#include "conformance/loop.h"
#include "conformance/scenario_threads.h"

namespace fermata::conformance {

class Driver {
 public:
  // All must outlive it.
  Driver(Phase& phase, Loop& loop, ScenarioThreads& threads);

  // Does one step and returns its result. Throws: what the step throws.
  Json act(const Json& step);
  // Does all steps and notes the results. An error ends it, unless the step or `catch_all` catches it.
  void act_all(const Json& steps, bool catch_all);

 private:
  struct Request {
    FetchTree fetches;
    SessionRunArgs args;
  };
  Request& request(const Json& step);
  Json with_kept_options(const Json& step);
  void step_fn_action(StepContext& context, const Json& action, Json& result);
  Json run(const Json& step);
  Json loop(const Json& step);
  Json step_fn(const Json& step);
  Json ask(const std::string& what, const Json& step);
  Json disturb(const std::string& what, const Json& step);

  Phase& phase_;
  World& world_;
  Loop& loop_;
  ScenarioThreads& threads_;
  // By what they ask for, so that the same request is the same object.
  std::map<std::string, std::unique_ptr<Request>> requests_;
  std::map<std::string, Json> kept_options_;
};

}  // namespace fermata::conformance
