// The counter graph of the scenarios, built with the native engine's public header.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/json.h"
#include "conformance/native_queue.h"
#include "conformance/watched_graph.h"
#include "fermata/native.h"

namespace fermata::conformance {

// The graph and the memory that its callables work on.
class NativeCounter {
 public:
  explicit NativeCounter(const Json& spec);

  [[nodiscard]] native::Graph& graph() noexcept { return *graph_; }
  // What the runner must know of it; `keep` is for the caller to set.
  [[nodiscard]] EngineGraph described();

 private:
  void add_variables();
  void add_odd_step(const std::string& kind);
  void add_train();
  void add_tensors();
  void add_constants();
  void add_options();
  void add_input();
  void add_queue(const Json& queue);
  void add_custom_init();
  void add_custom_local_init();
  void add_custom_answers();
  void add_custom_w();
  void add_unseen();

  const Json spec_;
  std::unique_ptr<native::Graph> graph_;
  float w_ = 0;
  float lv_ = 1;
  float computed_ = 0;
  float m_ = 0;
  bool m_is_set_ = false;
  float float_step_ = 0;
  std::vector<std::int64_t> vector_step_ = {0, 0};
  std::int64_t first_step_ = 0;
  std::int64_t second_step_ = 0;
  std::map<Session*, std::int64_t> taken_;
  std::map<Session*, std::int64_t> enqueued_;
  NativeQueue queue_{1};
  std::vector<QueueRunnerInfo> queues_;
  std::vector<std::string> summaries_;
  // All variables that init operations set, w first.
  std::vector<Output> globals_;
  std::vector<Output> locals_;
};

}  // namespace fermata::conformance
