// The command `fermata inspect`.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/inspection.h"
#include "cli/screen.h"
#include "cli/setters.h"
#include "fermata/tensorflow.h"

namespace fermata::cli {
namespace {

struct InspectOptions {
  std::string signature = "train";
  std::vector<std::string> tags;
  std::string tensorflow_dir;
  bool json = false;
  bool verbose = false;
};

CommandSpec inspect_command(InspectOptions& o) {
  return {"fermata inspect",
          "Shows what a model offers to a trainer, and the command line that trains it.",
          {{"Options",
            {{"--json", "", "one JSON object instead of text", set_true(o.json)},
             {"--signature", "NAME", "the signature of a SavedModel that trains (default: train)",
              set_text(o.signature)},
             {"--tags", "A[,B...]", "the tags of the graph in a SavedModel", set_names(o.tags)},
             {"--tensorflow-dir", "DIR", "the folder with TensorFlow's libraries (default: it is searched)",
              set_text(o.tensorflow_dir)},
             {"-v,--verbose", "", "show TensorFlow's own messages too", set_true(o.verbose)}}}}};
}

}  // namespace

int run_inspect(const std::vector<std::string>& args) {
  InspectOptions options;
  const std::optional<CommandLine> line = parse_command_line(inspect_command(options), args);
  if (!line) {
    return 0;
  }
  const LogToScreen messages(std::make_shared<Screen>(false));
  tensorflow::OpenOptions open;
  open.library_dir = options.tensorflow_dir;
  open.train_signature = options.signature;
  open.tags = options.tags;
  open.verbose = options.verbose;
  tensorflow::Model model = tensorflow::open(line->model, open);
  const Inspection found = inspect(model, line->model, options.signature);
  fmt::print("{}", options.json ? inspection_json(found) : inspection_text(found));
  return 0;
}

}  // namespace fermata::cli
