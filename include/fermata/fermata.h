// Everything but the engines: include fermata/native.h or fermata/tensorflow.h beside this.
#pragma once

#include "fermata/checkpoint_reader.h"            // IWYU pragma: export
#include "fermata/clock.h"                        // IWYU pragma: export
#include "fermata/coordinator.h"                  // IWYU pragma: export
#include "fermata/error.h"                        // IWYU pragma: export
#include "fermata/event_files.h"                  // IWYU pragma: export
#include "fermata/event_writer.h"                 // IWYU pragma: export
#include "fermata/graph.h"                        // IWYU pragma: export
#include "fermata/hooks/checkpoint_saver_hook.h"  // IWYU pragma: export
#include "fermata/hooks/feed_fn_hook.h"           // IWYU pragma: export
#include "fermata/hooks/final_ops_hook.h"         // IWYU pragma: export
#include "fermata/hooks/logging_tensor_hook.h"    // IWYU pragma: export
#include "fermata/hooks/nan_tensor_hook.h"        // IWYU pragma: export
#include "fermata/hooks/second_or_step_timer.h"   // IWYU pragma: export
#include "fermata/hooks/step_counter_hook.h"      // IWYU pragma: export
#include "fermata/hooks/stop_at_step_hook.h"      // IWYU pragma: export
#include "fermata/hooks/summary_saver_hook.h"     // IWYU pragma: export
#include "fermata/hooks/time_limit_hook.h"        // IWYU pragma: export
#include "fermata/log.h"                          // IWYU pragma: export
#include "fermata/monitored_session.h"            // IWYU pragma: export
#include "fermata/saver.h"                        // IWYU pragma: export
#include "fermata/scaffold.h"                     // IWYU pragma: export
#include "fermata/session.h"                      // IWYU pragma: export
#include "fermata/session_creator.h"              // IWYU pragma: export
#include "fermata/session_run_args.h"             // IWYU pragma: export
#include "fermata/session_run_hook.h"             // IWYU pragma: export
#include "fermata/stop_on_signal.h"               // IWYU pragma: export
#include "fermata/stop_verdict.h"                 // IWYU pragma: export
#include "fermata/tensor.h"                       // IWYU pragma: export
#include "fermata/training_session.h"             // IWYU pragma: export
