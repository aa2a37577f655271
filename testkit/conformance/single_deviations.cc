#include "conformance/deviations.h"

namespace fermata::conformance {

const std::vector<SingleDeviation>& single_deviations() {
  static const std::vector<SingleDeviation> kSingles = {
      {"counter_not_increasing_two_hooks", "", "14",
       "Each hook warns for itself; the reference counts the warnings of a whole process.",
       R"json({"log": ["WARNING step_not_increased current=0 previous=0",
        "WARNING step_not_increased current=0 previous=0", "WARNING step_not_increased current=0 previous=0",
        "WARNING step_not_increased current=0 previous=0", "WARNING step_not_increased current=0 previous=0",
        "WARNING step_not_increased current=0 previous=0", "WARNING step_not_increased current=0 previous=0",
        "WARNING step_not_increased current=0 previous=0"]})json"},
      {"feeds_same_tensor_by_name", "", "14",
       "One tensor that is fed by name and by handle is a clash, found before anything runs.",
       R"json({"trace": ["h1.begin", "new S1", "raw S1 init", "raw S1 ready_for_local_init = []",
        "raw S1 local_init", "raw S1 ready = []", "h1.after_create_session S1 K1 step=0", "> run",
        "h1.before_run S1 step=0", "K1 request_stop", "K1 join", "close S1"],
        "results": [{"error": "Misuse"}], "raised": "Misuse", "raised_in": "block"})json"},
      {"reuse_summary", "", "14",
       "A hook that is used again writes on; the reference writes into a closed writer and loses it in "
       "silence.",
       R"json({"events": {"sum": [["version brain.Event:2", "graph", "meta_graph", "session_log START step=1",
        "summary step=1 loss_tag=1", "summary step=3 loss_tag=1"],
        ["version brain.Event:2", "graph", "meta_graph", "session_log START step=1",
        "summary step=1 loss_tag=1", "summary step=3 loss_tag=1"]]}})json"},
      {"reuse_counter", "", "14", "The rate is measured anew in a new session.",
       R"json({"log": ["INFO global_step/sec: 1", "INFO global_step/sec: 1", "INFO global_step/sec: 1"]})json"},
      {"reuse_profiler", "", "14", "A step that is traced again gets a tag of its own.",
       R"json({"trace": ["new S1", "raw S1 init", "raw S1 ready_for_local_init = []", "raw S1 local_init",
        "raw S1 ready = []", "> run", "run S1", "> run", "run S1", "> exit", "K1 request_stop", "K1 join",
        "close S1", "phase 2", "new S2", "raw S2 init", "raw S2 ready_for_local_init = []", "raw S2 local_init",
        "raw S2 ready = []", "> run", "run S2", "> run", "run S2", "> exit", "K2 request_stop", "K2 join",
        "close S2"], "results": [null, null, null, null], "raised": null})json"},
      {"profiler_same_step_twice", "", "14", "A step that is traced again gets a tag of its own.",
       R"json({"trace": ["h1.begin", "new S1", "raw S1 init", "raw S1 ready_for_local_init = []",
        "raw S1 local_init", "raw S1 ready = []", "h1.after_create_session S1 K1 step=0", "> run",
        "h1.before_run S1 step=0", "run S1", "h1.after_run S1 step=1", "> run", "h1.before_run S1 step=1",
        "run S1", "h1.after_run S1 step=2", "> set_step 1", "> run", "h1.before_run S1 step=1", "run S1",
        "h1.after_run S1 step=2", "> exit", "h1.end S1 step=2", "K1 request_stop", "K1 join", "close S1"],
        "results": [null, null, null, null], "raised": null})json"},
      {"saver_collision_sharded", "", "14",
       "No file of the checkpoint has the name of the state file, so it is saved; the reference writes the "
       "data "
       "and then fails.",
       R"json({"results": [{"returned": "d/checkpoint", "files": ["d/checkpoint",
        "d/checkpoint.data-00000-of-00001", "d/checkpoint.index", "d/checkpoint.meta"],
        "listed": ["d/checkpoint"]}], "files": ["d/checkpoint", "d/checkpoint.data-00000-of-00001",
        "d/checkpoint.index", "d/checkpoint.meta"]})json"},
      {"chief_listed_files_gone", "", "12", "Where the newest checkpoint is gone, the one before it is used.",
       R"json({"trace": ["new S1", "raw S1 init", "raw S1 ready_for_local_init = []", "raw S1 local_init",
        "raw S1 ready = []", "raw S1 save model.ckpt-0", "> run", "run S1", "raw S1 save model.ckpt-1", "> run",
        "run S1", "raw S1 save model.ckpt-2", "> exit", "K1 request_stop", "K1 join", "close S1", "phase 2",
        "h1.begin", "new S2", "raw S2 restore model.ckpt-1", "raw S2 ready_for_local_init = []",
        "raw S2 local_init", "raw S2 ready = []", "h1.after_create_session S2 K2 step=1", "> run",
        "h1.before_run S2 step=1", "run S2", "h1.after_run S2 step=2", "> exit", "h1.end S2 step=2",
        "K2 request_stop", "K2 join", "close S2"], "results": [null, null, null], "raised": null})json"},
  };
  return kSingles;
}

}  // namespace fermata::conformance
