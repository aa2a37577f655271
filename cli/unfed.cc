#include "cli/unfed.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/names.h"
#include "cli/text.h"
#include "fermata/error.h"

namespace fermata::cli {
namespace {

// What was not fed and is named in the message; nothing if there is none.
std::optional<Output> find_unfed(const tensorflow::Model& model, const std::vector<Output>& fed,
                                 const std::string& message) {
  for (const Output& placeholder : model.placeholders()) {
    const bool named = message.find(fmt::format("'{}'", plain_name(placeholder))) != std::string::npos;
    if (named && std::find(fed.begin(), fed.end(), placeholder) == fed.end()) {
      return placeholder;
    }
  }
  return std::nullopt;
}

}  // namespace

std::exception_ptr explain_unfed(const tensorflow::Model& model, const std::string& train_signature,
                                 const std::vector<Output>& fed, const std::exception_ptr& error) {
  const std::string message = describe(error);
  if (code_of(error) != Code::kInvalidArgument || message.find("placeholder") == std::string::npos) {
    return error;
  }
  const std::optional<Output> unfed = find_unfed(model, fed, message);
  if (!unfed) {
    return error;
  }
  const std::string name = input_name(model, train_signature, *unfed);
  return std::make_exception_ptr(
      Error(Code::kInvalidArgument, fmt::format("the step needs '{}', {}, and nothing feeds it; give --input "
                                                "{}=FILE.npy or --feed {}=VALUE",
                                                name, spec_text(model.spec(*unfed)), name, name)));
}

}  // namespace fermata::cli
