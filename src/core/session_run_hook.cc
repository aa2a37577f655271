#include "fermata/session_run_hook.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <typeinfo>

#include "fermata/error.h"

namespace fermata {
namespace {

// The name of a class without its namespaces.
std::string class_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  const std::string_view whole = status == 0 ? demangled.get() : type.name();
  // "::" inside of template arguments or "(anonymous namespace)" is no end of a namespace of the class
  // itself.
  const std::string_view before_arguments = whole.substr(0, whole.find('<'));
  const std::size_t colons = before_arguments.rfind("::");
  return std::string(whole.substr(colons == std::string_view::npos ? 0 : colons + 2));
}

}  // namespace

const TensorView& ResultsView::without_value(std::size_t place) const {
  static const TensorView kNothing;
  if (place >= places_.size()) {
    throw Error(Code::kInvalidArgument, fmt::format("result {} was asked for, but the request has {} fetches",
                                                    place, places_.size()));
  }
  return kNothing;
}

SessionRunHook::~SessionRunHook() = default;
std::string SessionRunHook::name() const { return class_name(typeid(*this)); }
void SessionRunHook::begin(Graph& /*graph*/) {}
std::vector<const SessionRunArgs*> SessionRunHook::announced() const { return {}; }
void SessionRunHook::after_create_session(Session& /*session*/, Coordinator* /*coordinator*/) {}
const SessionRunArgs* SessionRunHook::before_run(SessionRunContext& /*context*/) { return nullptr; }
void SessionRunHook::after_run(SessionRunContext& /*context*/, const SessionRunValues& /*values*/) {}
void SessionRunHook::end(Session& /*session*/) {}
void SessionRunHook::finished(const StopVerdict& /*verdict*/) {}
void SessionRunHook::save_state(HookState& /*state*/) const {}
void SessionRunHook::load_state(const HookState& /*state*/) {}

void SessionRunContext::request_stop(std::string_view message, StopReason reason) {
  if (!stop_) {
    stop_ = StopRequest{reason, std::string(current_name_), std::string(message), 0};
  }
}

}  // namespace fermata
