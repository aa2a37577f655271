// How failures leave the plug-in: an exception inside, code and text at the C boundary.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "engines/plugin_abi.h"
#include "tensorflow/c/c_api.h"

namespace fermata::tensorflow_plugin {

// A failure with the status code the core will see.
class Failure : public std::runtime_error {
 public:
  Failure(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

// Throws: Failure if `status` is not OK.
void check(const TF_Status* status);

inline void report_success(FermataStatus* status) noexcept {
  status->code = 0;
  status->message[0] = '\0';
}

void report_failure(FermataStatus* status, int code, std::string_view message) noexcept;

// Runs `body` at the C boundary: whatever it throws becomes a status, and the result is then a zero.
template <typename Body>
auto guarded(FermataStatus* status, Body&& body) noexcept -> decltype(body()) {
  report_success(status);
  try {
    return body();
  } catch (const Failure& failure) {
    report_failure(status, failure.code(), failure.what());
  } catch (const std::exception& error) {
    report_failure(status, TF_INTERNAL, error.what());
  } catch (...) {
    report_failure(status, TF_INTERNAL, "an unknown exception");
  }
  return decltype(body())();
}

}  // namespace fermata::tensorflow_plugin
