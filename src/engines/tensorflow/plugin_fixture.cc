#include "engines/tensorflow/plugin_fixture.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <utility>

#include "build_config.h"

namespace fermata::tensorflow_plugin {
namespace {

constexpr int kDeepBind = build_config::kAddressSanitizer ? 0 : RTLD_DEEPBIND;  // as in engines/loader.cc

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << why << std::endl;
  std::abort();
}

void keep_text(void* user, const void* data, uint64_t size) {
  static_cast<std::string*>(user)->assign(static_cast<const char*>(data), size);
}

const FermataPluginApi* open_plugin() {
  FermataHost host{};
  host.cout = &std::cout;
  host.cerr = &std::cerr;
  host.clog = &std::clog;
  host.log = [](int32_t /*level*/, const char* message) { std::cerr << message << '\n'; };
  FermataStatus status;
  const FermataPluginApi* const opened = plugin_factory()(FERMATA_PLUGIN_ABI, &host, &status);
  if (opened == nullptr) give_up(status.message);
  return opened;
}

}  // namespace

FermataPluginFactory plugin_factory() {
  static void* const library = [] {
    const std::string path = std::string(build_config::kBuildPluginDir) + "/libfermata_tensorflow.so";
    void* const opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | kDeepBind);
    if (opened == nullptr) give_up(dlerror());
    return opened;
  }();
  return reinterpret_cast<FermataPluginFactory>(dlsym(library, FERMATA_PLUGIN_FACTORY));
}

const FermataPluginApi& api() {
  static const FermataPluginApi* const opened = open_plugin();
  return *opened;
}

std::string text_of(const FermataStatus& status) {
  return status.code == 0 ? "" : std::to_string(status.code) + ": " + status.message;
}

// --- graph ---

FermataStatus TestGraph::import(const std::string& graph_def) {
  FermataStatus status;
  api().graph_import(graph_, graph_def.data(), graph_def.size(), &status);
  return status;
}

void TestGraph::import_fixture(const std::string& name) {
  ASSERT_EQ(text_of(import(read_graph_def(fixture_path(name)))), "");
}

FermataStatus TestGraph::try_add(const std::string& type, const std::string& name,
                                 const std::vector<FermataNodeInput>& inputs,
                                 const std::vector<NodeAttr>& attrs, const std::vector<void*>& control_inputs,
                                 void** added) {
  std::vector<FermataNodeAttr> raw_attrs;
  for (const NodeAttr& attr : attrs) {
    raw_attrs.push_back({attr.name.c_str(), {attr.value.data(), attr.value.size()}});
  }
  const FermataNode node{type.c_str(),
                         name.c_str(),
                         nullptr,
                         inputs.data(),
                         static_cast<int32_t>(inputs.size()),
                         control_inputs.data(),
                         static_cast<int32_t>(control_inputs.size()),
                         raw_attrs.data(),
                         static_cast<int32_t>(raw_attrs.size())};
  FermataStatus status;
  *added = api().graph_add(graph_, &node, &status);
  return status;
}

FermataOutput TestGraph::add(const std::string& type, const std::string& name,
                             const std::vector<FermataOutput>& inputs, const std::vector<NodeAttr>& attrs,
                             const std::vector<void*>& control_inputs) {
  std::vector<FermataNodeInput> raw_inputs;
  for (const FermataOutput& input : inputs) raw_inputs.push_back({&input, 1, 0});
  void* added = nullptr;
  const FermataStatus status = try_add(type, name, raw_inputs, attrs, control_inputs, &added);
  EXPECT_EQ(text_of(status), "");
  return {added, 0};
}

void* TestGraph::operation(const std::string& name) const {
  return api().graph_operation(graph_, name.c_str());
}

FermataOutput TestGraph::output(const std::string& name, int index) const {
  void* const found = operation(name);
  EXPECT_NE(found, nullptr) << name;
  return {found, index};
}

std::vector<std::string> TestGraph::names() const {
  std::vector<std::string> names;
  api().graph_each_operation(
      graph_,
      [](void* user, void* found) {
        static_cast<std::vector<std::string>*>(user)->emplace_back(api().operation_name(found));
      },
      &names);
  return names;
}

// --- session ---

TestSession::TestSession(const TestGraph& graph, const std::string& config) {
  FermataStatus status;
  session_ = api().session_new(graph.get(), "", config.data(), config.size(), &status);
  EXPECT_EQ(text_of(status), "");
}

void TestSession::run(const std::vector<void*>& targets) {
  const TestPlan plan(*this, {.targets = targets});
  ASSERT_EQ(text_of(plan.status), "");
  ASSERT_EQ(text_of(TestOutputs(plan).run()), "");
}

FermataStatus TestSession::close() {
  FermataStatus status;
  api().session_close(session_, &status);
  return status;
}

FermataStatus TestSession::extend() {
  FermataStatus status;
  api().session_extend(session_, &status);
  return status;
}

// --- values ---

TestValue::TestValue(int dtype, const std::vector<int64_t>& dims, const void* data, void (*release)(void*),
                     void* user) {
  uint64_t elements = 1;
  for (const int64_t size : dims) elements *= static_cast<uint64_t>(size);
  const FermataTensorView view{dtype, static_cast<int32_t>(dims.size()), dims.data(), data, elements};
  tensor_ = api().tensor_new(&view, release, user, &status);
}

TestValue TestValue::strings(const std::vector<std::string>& texts) {
  std::vector<FermataString> raw;
  for (const std::string& text : texts) raw.push_back({text.data(), text.size()});
  return {kString, {static_cast<int64_t>(texts.size())}, raw.data()};
}

// --- plans ---

TestPlan::TestPlan(const TestSession& session, const Request& request)
    : num_fetches_(request.fetches.size()) {
  plan_ = api().plan_new(session.get(), request.fetches.data(), static_cast<int32_t>(request.fetches.size()),
                         request.targets.data(), static_cast<int32_t>(request.targets.size()),
                         request.feeds.data(), static_cast<int32_t>(request.feeds.size()),
                         request.options.data(), request.options.size(), &status);
}

FermataStatus TestOutputs::run(const std::vector<const TestValue*>& feeds) {
  return run(feeds, nullptr, nullptr);
}

FermataStatus TestOutputs::run_with(const std::string& options, std::string* metadata,
                                    const std::vector<const TestValue*>& feeds) {
  return run(feeds, &options, metadata);
}

FermataStatus TestOutputs::run(const std::vector<const TestValue*>& feeds, const std::string* options,
                               std::string* metadata) {
  std::vector<void*> raw;
  for (const TestValue* const feed : feeds) raw.push_back(feed->get());
  FermataStatus status;
  api().plan_run(plan_.get(), raw.data(), options != nullptr ? options->data() : nullptr,
                 options != nullptr ? options->size() : 0, outputs_, views.data(),
                 metadata != nullptr ? keep_text : nullptr, metadata, &status);
  return status;
}

std::string TestOutputs::text(size_t fetch, size_t element) const {
  const auto& text = value<FermataString>(fetch, element);
  return {text.data, text.size};
}

std::vector<int64_t> TestOutputs::shape(size_t fetch) const {
  const FermataTensorView& view = views.at(fetch);
  return {view.dims, view.dims + view.rank};
}

}  // namespace fermata::tensorflow_plugin
