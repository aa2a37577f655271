#include "conformance/deviations.h"
#include "conformance/rules.h"

namespace fermata::conformance {

const std::vector<Rule>& deviation_rules() {
  static const std::vector<Rule> kRules = {
      {"half-made sessions", "14",
       "A session that does not come to life is closed, its threads are joined, and no hook gets an end with "
       "it, or with one that is closed.",
       half_made_sessions},
      {"raw runs", "3",
       "The step after a run comes with the run: it is not read again near a target or a boundary, and it is "
       "read once when a session is made. A request is a flat list, so a raw run shows its values without "
       "nesting.",
       raw_runs, true},
      {"no type errors", "14",
       "What is left of Python's type errors is a call at the wrong time: a step that is no integer scalar. "
       "The "
       "error itself says that there are several steps. An error is reported without a handler around it.",
       no_type_errors, true},
      {"no first run", "1",
       "Where the target is reached when the session is made, or a listener wants the end then, no step is "
       "run. "
       "A stop that a step function asked for counts, in a block or not.",
       at_the_target},
      {"negative numbers", "2", "A negative number of steps or seconds is refused by the constructor.",
       negative_numbers},
      {"crossed boundaries", "3",
       "A run that goes past the target is the last one, and each boundary of an interval is seen in the run "
       "that crosses it.",
       crossed_boundaries},
      {"every hook's end", "7", "One hook's error does not keep the others from their end.", every_hooks_end},
      {"second close", "11", "A second close answers the verdict of the first; no hook is called again.",
       second_close},
      {"folders of checkpoints", "14",
       "The folder of a checkpoint is made, whatever is missing of it; data that are gone are noticed before "
       "the "
       "engine is asked to read them; a state file without a word is as good as none.",
       made_folders},
      {"manifests", "12", "A manifest beside each checkpoint says that it is whole.", manifests},
      {"committed steps", "13",
       "A hook does not save again the checkpoint that its session was restored from.", committed_steps},
      {"the caller's options", "14", "original_args has the options of the caller.", callers_options},
      {"graph definitions", "5.3",
       "graph.pbtxt is not written; a graph of C++ callables has no definition to write at all.",
       no_graph_definition},
      {"event writers", "14",
       "An event file comes with its first record, that of a hook when a session is made. A writer that "
       "could not write says so at this call and at "
       "each later one, with the system's own code; one that is opened anew writes plug-in data anew.",
       event_writers},
      {"values in the log", "LOG-12", "Arrays and texts are logged without NumPy's spelling.",
       plain_log_values},
  };
  return kRules;
}

}  // namespace fermata::conformance
