#include "engines/tensorflow/runtime.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "build_config.h"
#include "engines/tensorflow/streams.h"
#include "tensorflow/c/c_api.h"

namespace fermata::tensorflow_plugin {
namespace {

constexpr int kLogWarning = 2;
constexpr int kErrorsOnly = 2;  // absl::LogSeverityAtLeast::kError

Runtime& mutable_runtime() {
  static Runtime* const instance =
      new Runtime;  // Never destroyed: TensorFlow's threads outlive static objects.
  return *instance;
}

bool prepared_calls_fit() {
  return std::strcmp(TF_Version(), build_config::kTensorFlowVersion) == 0 &&
         std::getenv("FERMATA_NO_PREPARED_CALLS") == nullptr;
}

// The environment variable that sets the level is read when the library is loaded, perhaps by someone else
// and long ago; this works at any time. The function has no C name, and its C++ name changes with absl's
// release: a library that has another one keeps its level.
void show_errors_only() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&TF_Version), &info) == 0) return;
  void* const library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return;
  void* const symbol = dlsym(library, "_ZN4absl12lts_2025081414SetMinLogLevelENS0_18LogSeverityAtLeastE");
  if (symbol != nullptr) reinterpret_cast<void (*)(int)>(symbol)(kErrorsOnly);
  dlclose(library);
}

}  // namespace

const Runtime& runtime() noexcept { return mutable_runtime(); }

void set_up_runtime(const FermataHost& host) {
  static std::once_flag once;
  std::call_once(once, [&] {
    mutable_runtime().host = host;
    mutable_runtime().prepared_calls = prepared_calls_fit();
    adopt_streams(host);
    if (host.verbose == 0) show_errors_only();
  });
}

void log_warning(const char* message) noexcept {
  if (runtime().host.log != nullptr) runtime().host.log(kLogWarning, message);
}

}  // namespace fermata::tensorflow_plugin
