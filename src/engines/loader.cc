#include "engines/loader.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <iostream>
#include <mutex>

#include "build_config.h"
#include "engines/library_search.h"
#include "engines/stderr_capture.h"
#include "fermata/error.h"
#include "fermata/log.h"
#include "fermata/tensorflow.h"

namespace fermata::tensorflow {
namespace {

// Each library sees its own symbols first: another protobuf in the process does not get in the way.
// AddressSanitizer does not stand it.
constexpr bool kDeepBind = !build_config::kAddressSanitizer;
constexpr int kOpenFlags = RTLD_LOCAL | (kDeepBind ? RTLD_DEEPBIND : 0);

// All that is said here is of one kind: this machine lacks what the engine needs.
[[noreturn]] void fail(const std::string& message) {
  throw Error(Code::kUnimplemented, message, ErrorSource::kSystem);
}

void require_build_with_tensorflow() {
  if (std::string(build_config::kTensorFlowVersion).empty()) {
    fail(
        "this build of Fermata runs no TensorFlow graphs: it was configured with "
        "FERMATA_WITH_TENSORFLOW=OFF; "
        "build it with FERMATA_WITH_TENSORFLOW=ON");
  }
}

// TensorFlow ends the process itself if the processor lacks these, with a message that would be lost.
void require_processor() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx")) {
    fail(
        "TensorFlow needs a processor with AVX instructions, which this one does not have; run it on another "
        "machine, or use the native engine");
  }
#endif
}

void require_no_other_protobuf() {
  if (!kDeepBind && dlsym(RTLD_DEFAULT, "_ZTVN6google8protobuf11MessageLiteE") != nullptr) {
    fail(
        "this program holds a protobuf library of its own, and under AddressSanitizer TensorFlow cannot be "
        "kept "
        "apart from it; build without the sanitizer, or without that library");
  }
}

std::string library_folder(const std::string& dir) {
  const FoundLibrary found = search_library(dir, current_surroundings());
  if (found.folder.empty()) {
    fail(
        fmt::format("TensorFlow's library {} was not found in {}; run scripts/setup to install "
                    "it, or set FERMATA_TENSORFLOW_DIR to the folder that holds it",
                    kTensorFlowLibrary, fmt::join(found.places, ", ")));
  }
  return found.folder;
}

std::string plugin_path() {
  const FoundLibrary found = search_plugin();
  if (found.folder.empty()) {
    fail(
        fmt::format("the plug-in {} was not found in {}; build it together with Fermata, or "
                    "install it beside libfermata.so",
                    kPluginLibrary, fmt::join(found.places, ", ")));
  }
  return found.folder + "/" + kPluginLibrary;
}

// `binding`: RTLD_NOW finds a missing symbol here; RTLD_LAZY saves a tenth of a second where there are
// hundreds of thousands of symbols and none can be missing.
void* open_library(const std::string& path, int binding) {
  void* const library = dlopen(path.c_str(), kOpenFlags | binding);
  if (library == nullptr) {
    const char* reason = dlerror();
    fail(fmt::format("{} cannot be loaded: {}; run scripts/setup to install it anew", path,
                     reason == nullptr ? "no reason given" : reason));
  }
  return library;
}

// Before the plug-in is opened, since it may not even find its symbols in another version.
void require_version(void* library, const std::string& folder) {
  const auto version = reinterpret_cast<const char* (*)()>(dlsym(library, "TF_Version"));
  const std::string found = version == nullptr ? "unknown" : version();
  if (found != build_config::kTensorFlowVersion) {
    fail(fmt::format(
        "{}/{} is of TensorFlow {}, but this build of Fermata needs {}; run scripts/setup to install "
        "that version",
        folder, kTensorFlowLibrary, found, build_config::kTensorFlowVersion));
  }
}

void log_from_plugin(std::int32_t level, const char* message) { log(static_cast<LogLevel>(level), message); }

FermataHost make_host(bool verbose) {
  FermataHost host{};
  host.cout = &std::cout;
  host.cerr = &std::cerr;
  host.clog = &std::clog;
  host.log = log_from_plugin;
  host.verbose = verbose ? 1 : 0;
  return host;
}

const FermataPluginApi* open_plugin(const std::string& path, bool verbose) {
  void* const library = open_library(path, RTLD_NOW);
  const auto factory = reinterpret_cast<FermataPluginFactory>(dlsym(library, FERMATA_PLUGIN_FACTORY));
  if (factory == nullptr) {
    fail(fmt::format("{} is of another version of Fermata: it has no {}; install both from one build", path,
                     FERMATA_PLUGIN_FACTORY));
  }
  const FermataHost host = make_host(verbose);
  FermataStatus status{};
  const FermataPluginApi* const api = factory(FERMATA_PLUGIN_ABI, &host, &status);
  if (api == nullptr || api->abi != FERMATA_PLUGIN_ABI || api->struct_size != sizeof(FermataPluginApi)) {
    fail(fmt::format("{} does not fit this version of Fermata ({}); install both from one build", path,
                     status.message[0] == '\0' ? "its table of functions is another" : status.message));
  }
  return api;
}

Runtime open_all(const std::string& folder, bool verbose) {
  Runtime runtime;
  runtime.folder = folder;
  open_library(folder + "/" + kFrameworkLibrary, RTLD_LAZY);
  require_version(open_library(folder + "/" + kTensorFlowLibrary, RTLD_LAZY), folder);
  runtime.api = open_plugin(plugin_path(), verbose);
  runtime.version = runtime.api->runtime_version();
  return runtime;
}

void log_what_was_said(StderrCapture& capture) {
  const std::string said = without_startup_lines(capture.finish());
  if (!said.empty()) {
    log(LogLevel::kWarning, fmt::format("TensorFlow said while it was loaded: {}", said));
  }
}

// TensorFlow writes to stderr while it is loaded, whatever its log level says. What is known is dropped, the
// rest goes to the log.
Runtime open_quietly(const std::string& folder) {
  setenv("TF_CPP_MIN_LOG_LEVEL", "2", /*overwrite=*/0);
  StderrCapture capture;
  try {
    Runtime runtime = open_all(folder, /*verbose=*/false);
    log_what_was_said(capture);
    return runtime;
  } catch (...) {
    log_what_was_said(capture);
    throw;
  }
}

}  // namespace

const Runtime& load_runtime(const LoadOptions& options) {
  static std::mutex mutex;
  static const Runtime* loaded = nullptr;  // Never deleted: TensorFlow cannot be unloaded.
  const std::lock_guard lock(mutex);
  if (loaded == nullptr) {
    require_build_with_tensorflow();
    require_processor();
    require_no_other_protobuf();
    const std::string folder = library_folder(options.library_dir);
    loaded = new Runtime(options.verbose ? open_all(folder, /*verbose=*/true) : open_quietly(folder));
    log(LogLevel::kDebug, fmt::format("TensorFlow {} was loaded from {}", loaded->version, loaded->folder));
  }
  return *loaded;
}

LibrarySearch find_library(const std::string& library_dir) {
  FoundLibrary found = search_library(library_dir, current_surroundings());
  return {std::move(found.folder), std::move(found.places)};
}

}  // namespace fermata::tensorflow
