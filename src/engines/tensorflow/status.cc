#include "engines/tensorflow/status.h"

#include <cstring>
#include <string>

#include "engines/tensorflow/shorten.h"

namespace fermata::tensorflow_plugin {

void check(const TF_Status* status) {
  if (TF_GetCode(status) != TF_OK) throw Failure(TF_GetCode(status), TF_Message(status));
}

void report_failure(FermataStatus* status, int code, std::string_view message) noexcept {
  status->code = code;
  status->message[0] = '\0';
  try {
    const std::string text = shorten(message, sizeof status->message - 1);
    std::memcpy(status->message, text.c_str(), text.size() + 1);
  } catch (...) {  // No memory for the text: the code must do.
  }
}

}  // namespace fermata::tensorflow_plugin
