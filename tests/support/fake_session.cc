#include "tests/support/fake_session.h"

#include <utility>
#include <vector>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/bundle_writer.h"
#include "fermata/error.h"

namespace fermata {
namespace {

[[noreturn]] void refuse() { throw Misuse("the fake session runs nothing"); }

}  // namespace

// Nothing but the definition that goes to `.meta`.
class FakeSession::FakeGraph final : public Graph {
 public:
  explicit FakeGraph(const FakeSession& session) : session_(session) {}

  [[nodiscard]] std::string_view engine() const noexcept override { return "fake"; }
  [[nodiscard]] std::optional<Operation> find_operation(std::string_view) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::vector<Operation> operations() const override { return {}; }
  [[nodiscard]] std::string operation_name(std::uintptr_t) const override { refuse(); }
  [[nodiscard]] std::string operation_type(std::uintptr_t) const override { refuse(); }
  [[nodiscard]] std::int32_t num_outputs(std::uintptr_t) const override { return 0; }
  [[nodiscard]] TensorSpec spec(const Output&) const override { refuse(); }
  [[nodiscard]] std::vector<VariableInfo> variables() const override { return {}; }
  [[nodiscard]] std::vector<std::string> collection_keys() const override { return {}; }
  [[nodiscard]] std::vector<std::string> collection(std::string_view) const override { return {}; }
  void add_to_collection(std::string_view, std::string_view) override { refuse(); }
  [[nodiscard]] bool has_global_step() const override { return false; }
  [[nodiscard]] std::string global_step_name() const override { return {}; }
  [[nodiscard]] Operation default_init_op() override { refuse(); }
  [[nodiscard]] Output default_ready_op() override { refuse(); }
  [[nodiscard]] Output default_ready_for_local_init_op() override { refuse(); }
  [[nodiscard]] Operation default_local_init_op() override { refuse(); }
  [[nodiscard]] std::optional<Output> default_summary_op() override { return std::nullopt; }
  [[nodiscard]] std::optional<SaverDef> default_saver() override { return std::nullopt; }
  [[nodiscard]] std::unique_ptr<Session> create_session(const SessionConfig&) override { refuse(); }
  [[nodiscard]] std::string meta_graph_def() const override { return session_.meta_graph; }

 private:
  const FakeSession& session_;
};

FakeSession::FakeSession(FileSystem& files) : files_(files), graph_(std::make_unique<FakeGraph>(*this)) {}

FakeSession::~FakeSession() = default;

Graph& FakeSession::graph() const { return *graph_; }

std::unique_ptr<StepPlan> FakeSession::prepare(const PlanRequest&) { refuse(); }

void FakeSession::save_variables(const SaverDef&, const std::string& prefix) {
  saved_to.push_back(prefix);
  BundleWriter writer(prefix, files_);
  for (const auto& [name, value] : variables) {
    writer.add(name, value.view());
  }
  writer.finish();
}

VariableCapture FakeSession::capture_variables(const SaverDef& saver, std::uint64_t most_bytes) {
  if (!can_capture) {
    return Session::capture_variables(saver, most_bytes);
  }
  VariableCapture captured;
  std::uint64_t bytes = 0;
  for (const auto& [name, value] : variables) {
    bytes += value.view().byte_size();
    captured.entries.push_back({name, "", value});
  }
  for (const auto& [name, values] : parts) {
    for (const auto& [slice, value] : values) {
      captured.entries.push_back({name, slice, value});
    }
  }
  return bytes <= most_bytes ? captured : VariableCapture{{}, "the variables take too much"};
}

void FakeSession::restore_variables(const SaverDef&, const std::string& prefix) {
  const BundleReader reader = BundleReader::open(prefix, files_);
  std::map<std::string, Tensor> values;
  for (const auto& [name, value] : variables) {
    values.emplace(name, reader.read(name));
  }
  variables = std::move(values);
}

}  // namespace fermata
