#include "conformance/deviations.h"
#include "conformance/rules.h"

namespace fermata::conformance {

const std::vector<Rule>& deviation_rules() {
  static const std::vector<Rule> kRules = {
      {"step reads", "3",
       "The step after a run comes with the run: it is not read again near a target or a boundary, and it is "
       "read once when a session is made.",
       no_step_reads, true},
      {"flat values", "7", "A request is a flat list, so a raw run shows its values without nesting.",
       flat_values, true},
      {"at the target", "1", "Where the target is reached when the session is made, no step is run.",
       at_the_target},
      {"negative numbers", "2", "A negative number of steps or seconds is refused by the constructor.",
       negative_numbers},
      {"crossed target", "3", "A run that goes past the target is the last one.", crossed_target},
      {"every hook's end", "7", "One hook's error does not keep the others from their end.", every_hooks_end},
      {"second close", "11", "A second close answers the verdict of the first; no hook is called again.",
       second_close},
      {"manifests", "12", "A manifest beside each checkpoint says that it is whole.", manifests},
      {"committed steps", "13", "A step that is already committed is not saved again.", committed_steps},
      {"half-made sessions", "14",
       "A session that does not come to life is closed, its threads are joined, and no hook gets an end with "
       "it, or with one that is closed.",
       half_made_sessions},
      {"the caller's options", "14", "original_args has the options of the caller.", callers_options},
      {"text of the graph", "5.3", "graph.pbtxt is not written.", no_text_graph},
      {"no graph definition", "5.3", "A graph of C++ callables has no definition to write.",
       no_graph_definition},
      {"values in the log", "LOG-12", "Arrays and texts are logged without NumPy's spelling.",
       plain_log_values},
  };
  return kRules;
}

}  // namespace fermata::conformance
