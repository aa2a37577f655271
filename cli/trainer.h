// One run of `fermata train`, from the options to the verdict.
#pragma once

#include <memory>

#include "cli/report.h"
#include "cli/screen.h"
#include "cli/train_options.h"

namespace fermata::cli {

// Trains to the end and fills the report, as far as it got also when it throws. Throws: UsageError, Error,
// what the session throws.
void train(const TrainOptions& options, const std::shared_ptr<Screen>& screen, Report& report);

}  // namespace fermata::cli
