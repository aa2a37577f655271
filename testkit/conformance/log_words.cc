#include "conformance/log_words.h"

#include <iterator>
#include <regex>
#include <string>

namespace fermata::conformance {
namespace {

// A message of Fermata, and its word. "$1" is what the first group took; "$&" the message as it is.
struct Word {
  std::regex message;
  const char* word;
};

const std::vector<Word>& words() {
  static const std::vector<Word> kWords = {
      {std::regex(
           "WARNING .*current value (-?[0-9]+), previous value (-?[0-9]+)\\) has not been increased.*"),
       "WARNING step_not_increased current=$1 previous=$2"},
      {std::regex("(WARNING|ERROR) NanTensorHook: .* is NaN.*"), "$1 nan_loss"},
      {std::regex("INFO .*: listener .* asked to stop.*"), "INFO listener_requested_stop"},
      {std::regex("WARNING FinalOpsHook.*"), "WARNING final_ops_input"},
      {std::regex("INFO threads still running .* s after the stop was requested: (.*)"),
       "INFO threads_still_running $1"},
      {std::regex("INFO an error was reported to the coordinator.*"), "INFO error_reported"},
      {std::regex("ERROR a thread lost its session, which is being closed anyway: .*"),
       "ERROR preempted_while_closing"},
      {std::regex("WARNING the session could not be made .*"), "INFO preempted_while_creating"},
      {std::regex("WARNING the session was lost in a run .*"), "INFO preempted_while_running"},
      {std::regex("WARNING the session was lost, as one of its threads says .*"),
       "INFO preempted_while_asking"},
      {std::regex("ERROR .*: there are no files for the checkpoint (.*) that it names"),
       "ERROR no_files_for_checkpoint $1"},
      {std::regex("WARNING ([^:]*): .*; the file is ignored"), "WARNING state_ignored $1"},
      {std::regex("INFO waiting for the global step to reach ([0-9]+)"), "INFO wait_start $1"},
      {std::regex("INFO waiting for the global step to reach ([0-9]+), now it is ([0-9]+)"),
       "INFO wait_progress $1 $2"},
      {std::regex("INFO .*global_step/sec: .*"), "$&"},
      {std::regex("INFO [^ ]* = .*|INFO Tensor.* = .*|INFO LOG .*|INFO .*[^ ] = .*"), "$&"},
  };
  return kWords;
}

}  // namespace

Json LogWords::lines(const World& world) const {
  Json lines = Json::array();
  for (const std::string& line : capture_.lines()) {
    const std::string shown = world.shown(line);
    for (const Word& word : words()) {
      if (std::regex_match(shown, word.message)) {
        lines.push_back(std::regex_replace(shown, word.message, word.word));
        break;
      }
    }
  }
  return lines;
}

}  // namespace fermata::conformance
