#include "fermata/step_context.h"

#include "fermata/error.h"

namespace fermata {

void StepContext::request_stop(std::string message) const {
  request_stop_(std::move(message));
  throw StopIteration("the step function requested a stop");
}

}  // namespace fermata
