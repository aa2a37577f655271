// What a program that knows TensorFlow's own API would do: everything is made once and used again for each
// run.
#include "bare_tensorflow.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_internal.h"
#include "tensorflow/c/tf_tensor_helper.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/protobuf/meta_graph.pb.h"
#include "tensorflow/core/public/session.h"

namespace {

struct Run {
  ~Run();

  TF_Graph* graph = TF_NewGraph();
  TF_Status* status = TF_NewStatus();
  TF_Session* session = nullptr;
  // For RunCallable.
  tensorflow::Session::CallableHandle callable = 0;
  std::vector<tensorflow::Tensor> fed;
  std::vector<tensorflow::Tensor> fetched;
  tensorflow::RunMetadata metadata;  // wanted by TensorFlow, and left empty
  // For TF_SessionRun.
  std::vector<TF_Output> feed_places;
  std::vector<TF_Tensor*> feed_values;
  std::vector<TF_Output> fetch_places;
  std::vector<TF_Tensor*> results;
  const TF_Operation* train = nullptr;
};

Run::~Run() {
  fetched.clear();
  for (TF_Tensor* const value : feed_values) TF_DeleteTensor(value);
  for (TF_Tensor* const value : results) {
    if (value != nullptr) TF_DeleteTensor(value);
  }
  if (session != nullptr) {
    session->session->ReleaseCallable(callable).IgnoreError();
    TF_CloseSession(session, status);
    TF_DeleteSession(session, status);
  }
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
}

void check(const Run& run) {
  if (TF_GetCode(run.status) != TF_OK) throw std::runtime_error(TF_Message(run.status));
}

void check(const absl::Status& status) {
  if (!status.ok()) throw std::runtime_error(std::string(status.message()));
}

tensorflow::MetaGraphDef read_meta(const char* path) {
  std::string bytes(std::filesystem::file_size(path), '\0');
  std::FILE* const file = std::fopen(path, "rb");
  if (file != nullptr) bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  if (file != nullptr) std::fclose(file);
  tensorflow::MetaGraphDef meta;
  if (!meta.ParseFromString(bytes)) throw std::runtime_error(std::string(path) + ": no MetaGraphDef");
  return meta;
}

void import(Run& run, const tensorflow::GraphDef& graph_def) {
  const std::string bytes = graph_def.SerializeAsString();
  TF_Buffer* const buffer = TF_NewBufferFromString(bytes.data(), bytes.size());
  TF_ImportGraphDefOptions* const options = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(run.graph, buffer, options, run.status);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteBuffer(buffer);
  check(run);
}

TF_Operation* operation(const Run& run, const std::string& name) {
  TF_Operation* const found = TF_GraphOperationByName(run.graph, name.c_str());
  if (found == nullptr) throw std::runtime_error("there is no operation " + name);
  return found;
}

TF_Output output(const Run& run, const std::string& name) {
  const size_t colon = name.find(':');
  return {operation(run, name.substr(0, colon)), std::stoi(name.substr(colon + 1))};
}

// The step after everything else, as Fermata reads it.
void add_step_read(Run& run, const BareRequest& request) {
  TF_OperationDescription* const read = TF_NewOperation(run.graph, "ReadVariableOp", "bare/step_read");
  TF_AddInput(read, {operation(run, request.step), 0});
  TF_SetAttrType(read, "dtype", TF_INT64);
  TF_AddControlInput(read, operation(run, request.train));
  if (request.fetch != nullptr) TF_AddControlInput(read, output(run, request.fetch).oper);
  TF_FinishOperation(read, run.status);
  check(run);
}

void open_session(Run& run, const std::string& init_op) {
  tensorflow::ConfigProto config;
  config.mutable_experimental()->set_executor_type("SINGLE_THREADED_EXECUTOR");
  const std::string bytes = config.SerializeAsString();
  TF_SessionOptions* const options = TF_NewSessionOptions();
  TF_SetConfig(options, bytes.data(), bytes.size(), run.status);
  run.session = TF_NewSession(run.graph, options, run.status);
  TF_DeleteSessionOptions(options);
  check(run);
  const TF_Operation* const init = operation(run, init_op);
  TF_SessionRun(run.session, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, &init, 1, nullptr,
                run.status);
  check(run);
  // From the first explicit call on, TensorFlow does not look for new nodes in each run.
  TF_ExtendSession(run.session, run.status);
  check(run);
}

void add_feed(Run& run, tensorflow::CallableOptions& callable, const BareFeed& feed) {
  const auto dtype = static_cast<TF_DataType>(feed.dtype);
  TF_Tensor* const value = TF_AllocateTensor(dtype, feed.dims, feed.rank, feed.bytes);
  std::memcpy(TF_TensorData(value), feed.data, feed.bytes);
  run.feed_values.push_back(value);
  run.feed_places.push_back(output(run, feed.tensor));
  check(tensorflow::TF_TensorToTensor(value, &run.fed.emplace_back()));
  callable.add_feed(feed.tensor);
}

void prepare(Run& run, const BareRequest& request) {
  tensorflow::CallableOptions callable;
  callable.add_target(request.train);
  run.train = operation(run, request.train);
  for (int i = 0; i < request.num_feeds; ++i) add_feed(run, callable, request.feeds[i]);
  std::vector<std::string> fetches;
  if (request.fetch != nullptr) fetches.push_back(request.fetch);
  fetches.push_back("bare/step_read:0");
  for (const std::string& fetch : fetches) {
    callable.add_fetch(fetch);
    run.fetch_places.push_back(output(run, fetch));
  }
  run.results.resize(fetches.size());
  check(run.session->session->MakeCallable(callable, &run.callable));
}

void* open(const BareRequest* request) {
  auto run = std::make_unique<Run>();
  try {
    const tensorflow::MetaGraphDef meta = read_meta(request->meta);
    import(*run, meta.graph_def());
    add_step_read(*run, *request);
    open_session(*run, meta.collection_def().at("init_op").node_list().value(0));
    prepare(*run, *request);
    return run.release();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return nullptr;
  }
}

void close(void* run) { delete static_cast<Run*>(run); }

int64_t run_callable(void* handle) {
  Run& run = *static_cast<Run*>(handle);
  // Let go before the run, or the update would have to copy the step that is still held here.
  run.fetched.clear();
  if (!run.session->session->RunCallable(run.callable, run.fed, &run.fetched, &run.metadata).ok()) return -1;
  return *static_cast<const int64_t*>(run.fetched.back().data());
}

int64_t run_session(void* handle) {
  Run& run = *static_cast<Run*>(handle);
  for (TF_Tensor*& value : run.results) {
    if (value != nullptr) TF_DeleteTensor(value);
    value = nullptr;
  }
  TF_SessionRun(run.session, nullptr, run.feed_places.data(), run.feed_values.data(),
                static_cast<int>(run.feed_values.size()), run.fetch_places.data(), run.results.data(),
                static_cast<int>(run.results.size()), &run.train, 1, nullptr, run.status);
  if (TF_GetCode(run.status) != TF_OK) return -1;
  return *static_cast<const int64_t*>(TF_TensorData(run.results.back()));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const BareTensorflow* fermata_bare_tensorflow() {
  static const BareTensorflow functions = {open, close, run_callable, run_session};
  return &functions;
}
