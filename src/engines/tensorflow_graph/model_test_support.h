// For the tests of this folder: fixtures, and a session brought to life the way a chief does it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "fermata/error.h"
#include "fermata/tensorflow.h"

namespace fermata::tensorflow {

// A file of the checkout: "tests/fixtures/counter.meta".
inline std::string project_file(const std::string& name) {
  const char* const root = std::getenv("FERMATA_PROJECT_DIR");
  return std::string(root == nullptr ? "." : root) + "/" + name;
}
inline std::string fixture(const std::string& name) { return project_file("tests/fixtures/" + name); }

// A handle of either kind as part of a request.
inline void add_fetch(PlanRequest& request, const Fetch& fetch) {
  if (const auto* operation = std::get_if<Operation>(&fetch.what())) {
    request.targets.push_back(*operation);
  } else {
    request.fetches.push_back(std::get<Output>(fetch.what()));
  }
}

inline PlanRequest train_request(const Model& model) {
  PlanRequest request;
  add_fetch(request, model.train_op());
  request.read_step = true;
  return request;
}

// Initialised as a Scaffold does it: pieces of the collections, else the defaults.
inline Operation piece(Model& model, std::string_view collection, Operation (Model::*make)()) {
  const std::vector<std::string> names = model.collection(collection);
  return names.empty() ? (model.*make)() : model.operation(names.front());
}
inline Output tensor_piece(Model& model, std::string_view collection, Output (Model::*make)()) {
  const std::vector<std::string> names = model.collection(collection);
  return names.empty() ? (model.*make)() : model.tensor(names.front());
}

inline std::vector<std::string> strings_of(const Tensor& tensor) {
  std::vector<std::string> strings;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    strings.emplace_back(tensor.view().string(i));
  }
  return strings;
}

// Everything is added before the session is opened.
struct Pieces {
  explicit Pieces(Model& model)
      : init(piece(model, collections::kInitOp, &Model::default_init_op)),
        ready(tensor_piece(model, collections::kReadyOp, &Model::default_ready_op)),
        ready_for_local_init(
            tensor_piece(model, collections::kReadyForLocalInitOp, &Model::default_ready_for_local_init_op)),
        local_init(piece(model, collections::kLocalInitOp, &Model::default_local_init_op)) {}

  Operation init;
  Output ready;
  Output ready_for_local_init;
  Operation local_init;
};

inline std::vector<std::string> not_ready(Session& session, const Output& ready) {
  return strings_of(session.run(Fetch(ready)));
}

inline void initialize(Session& session, const Pieces& pieces) {
  static_cast<void>(session.run(Fetch(pieces.init)));
  EXPECT_EQ(not_ready(session, pieces.ready_for_local_init), std::vector<std::string>());
  static_cast<void>(session.run(Fetch(pieces.local_init)));
  EXPECT_EQ(not_ready(session, pieces.ready), std::vector<std::string>());
}

// A model with an initialised session.
struct Trainer {
  explicit Trainer(const std::string& path, OpenOptions options = {}, SessionConfig config = {})
      : model(open(path, std::move(options))), pieces(model) {
    config.announced.push_back(train_request(model));
    session = model.create_session(config);
    initialize(*session, pieces);
  }

  // The step after each of `count` runs.
  std::vector<Step> train(int count, const PlanRequest& request, std::vector<const Tensor*> feeds = {}) {
    const std::unique_ptr<StepPlan> plan = session->prepare(request);
    const std::unique_ptr<StepOutputs> outputs = plan->make_outputs();
    std::vector<Step> steps;
    for (int i = 0; i < count; ++i) {
      plan->run(feeds, nullptr, *outputs, nullptr);
      steps.push_back(outputs->step.value_or(-1));
      if (!outputs->values.empty() && outputs->values.front().dtype() == DType::kFloat) {
        losses.push_back(outputs->values.front().as_double());
      }
    }
    return steps;
  }
  std::vector<Step> train(int count) { return train(count, train_request(model)); }
  // The same, with the values of `tensor` in `losses`.
  std::vector<Step> train_and_fetch(int count, const std::string& tensor) {
    PlanRequest request = train_request(model);
    request.fetches.insert(request.fetches.begin(), model.tensor(tensor));
    return train(count, request);
  }

  Model model;
  Pieces pieces;
  std::unique_ptr<Session> session;
  std::vector<double> losses;
};

// What an error says.
template <typename Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace fermata::tensorflow
