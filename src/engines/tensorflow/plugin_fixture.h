// For the tests of the plug-in: opens it as the core does, and wraps the C table so that a test can be read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/plugin_abi.h"

namespace fermata::tensorflow_plugin {

// Numbers of tensorflow.DataType.
inline constexpr int kFloat = 1;
inline constexpr int kInt32 = 3;
inline constexpr int kString = 7;
inline constexpr int kInt64 = 9;
inline constexpr int kResource = 20;

inline constexpr int kInvalidArgument = 3;

FermataPluginFactory plugin_factory();

// Opened at the first call; ends the test program if that fails.
const FermataPluginApi& api();

// --- serialized messages ---
std::string type_attr(int dtype);
std::string types_attr(int dtype);
std::string shape_attr(const std::vector<int64_t>& dims);
std::string string_attr(const std::string& text);
std::string float_tensor_attr(float value);
std::string timeout_options(int milliseconds);
std::string caller_thread_options();
std::string trace_options();
std::string single_threaded_config();
// The GraphDef inside of a MetaGraphDef file.
std::string read_graph_def(const std::string& path);
std::string fixture_path(const std::string& name);

struct NodeAttr {
  std::string name;
  std::string value;
};

class TestGraph {
 public:
  TestGraph() : graph_(api().graph_new()) {}
  ~TestGraph() { api().graph_delete(graph_); }
  TestGraph(const TestGraph&) = delete;
  TestGraph& operator=(const TestGraph&) = delete;

  FermataStatus import(const std::string& graph_def);
  void import_fixture(const std::string& name);

  // Adds a node and returns its first output.
  FermataOutput add(const std::string& type, const std::string& name,
                    const std::vector<FermataOutput>& inputs = {}, const std::vector<NodeAttr>& attrs = {},
                    const std::vector<void*>& control_inputs = {});
  FermataStatus try_add(const std::string& type, const std::string& name,
                        const std::vector<FermataNodeInput>& inputs, const std::vector<NodeAttr>& attrs,
                        const std::vector<void*>& control_inputs, void** added);

  [[nodiscard]] void* operation(const std::string& name) const;
  [[nodiscard]] FermataOutput output(const std::string& name, int index = 0) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] void* get() const { return graph_; }

 private:
  void* graph_;
};

class TestSession {
 public:
  explicit TestSession(const TestGraph& graph, const std::string& config = {});
  ~TestSession() { api().session_delete(session_); }
  TestSession(const TestSession&) = delete;
  TestSession& operator=(const TestSession&) = delete;

  // Runs operations once; they must succeed.
  void run(const std::vector<void*>& targets);
  FermataStatus close();
  FermataStatus extend();
  [[nodiscard]] void* get() const { return session_; }

 private:
  void* session_;
};

class TestValue {
 public:
  TestValue(int dtype, const std::vector<int64_t>& dims, const void* data, void (*release)(void*) = nullptr,
            void* user = nullptr);
  // The memory must outlive the value.
  static TestValue floats(const std::vector<int64_t>& dims, const float* data) {
    return {kFloat, dims, data};
  }
  static TestValue strings(const std::vector<std::string>& texts);
  ~TestValue() { api().tensor_delete(tensor_); }
  TestValue(TestValue&& other) noexcept : status(other.status), tensor_(other.tensor_) {
    other.tensor_ = nullptr;
  }
  TestValue& operator=(TestValue&&) = delete;

  [[nodiscard]] void* get() const { return tensor_; }
  FermataStatus status{};

 private:
  void* tensor_;
};

class TestOutputs;

class TestPlan {
 public:
  struct Request {
    std::vector<FermataOutput> fetches;
    std::vector<void*> targets;
    std::vector<FermataOutput> feeds;
    std::string options;
  };

  TestPlan(const TestSession& session, const Request& request);
  ~TestPlan() { api().plan_delete(plan_); }
  TestPlan(const TestPlan&) = delete;
  TestPlan& operator=(const TestPlan&) = delete;

  [[nodiscard]] void* get() const { return plan_; }
  [[nodiscard]] size_t num_fetches() const { return num_fetches_; }
  FermataStatus status{};

 private:
  void* plan_;
  size_t num_fetches_;
};

class TestOutputs {
 public:
  explicit TestOutputs(const TestPlan& plan)
      : plan_(plan), outputs_(api().outputs_new(plan.get())), views(plan.num_fetches()) {}
  ~TestOutputs() { api().outputs_delete(outputs_); }
  TestOutputs(const TestOutputs&) = delete;
  TestOutputs& operator=(const TestOutputs&) = delete;

  FermataStatus run(const std::vector<const TestValue*>& feeds = {});
  FermataStatus run_with(const std::string& options, std::string* metadata,
                         const std::vector<const TestValue*>& feeds = {});

  template <typename T>
  [[nodiscard]] const T& value(size_t fetch, size_t element = 0) const {
    return static_cast<const T*>(views.at(fetch).data)[element];
  }
  [[nodiscard]] std::string text(size_t fetch, size_t element = 0) const;
  [[nodiscard]] std::vector<int64_t> shape(size_t fetch) const;

 private:
  FermataStatus run(const std::vector<const TestValue*>& feeds, const std::string* options,
                    std::string* metadata);
  const TestPlan& plan_;
  void* outputs_;

 public:
  std::vector<FermataTensorView> views;
};

// "" for success, else code and message.
std::string text_of(const FermataStatus& status);

}  // namespace fermata::tensorflow_plugin
