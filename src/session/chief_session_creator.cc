#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <utility>

#include "fermata/error.h"
#include "fermata/log.h"
#include "fermata/saver.h"
#include "fermata/session_creator.h"
#include "session/session_readiness.h"

namespace fermata {
namespace {

constexpr std::chrono::minutes kLongestSave{10};

}  // namespace

SessionCreator::~SessionCreator() = default;

struct ChiefSessionCreator::Impl {
  Graph& graph;
  Options options;

  [[nodiscard]] Saver* saver() const { return options.scaffold->saver().get(); }

  // The checkpoint to start from; empty if there is none.
  std::string find_checkpoint(CreatedSession& created) const {
    if (!options.checkpoint_filename_with_path.empty()) {
      return options.checkpoint_filename_with_path;
    }
    if (options.checkpoint_dir.empty()) {
      return {};
    }
    std::vector<std::string> damaged;
    const std::optional<std::string> newest = newest_whole_checkpoint(options.checkpoint_dir, &damaged);
    for (const std::string& sentence : damaged) {
      created.notes.push_back("a damaged checkpoint was passed over: " + sentence);
      log(LogLevel::kWarning, created.notes.back());
    }
    return newest.value_or("");
  }

  void restore(CreatedSession& created) const {
    if (saver() == nullptr) {
      return;
    }
    // A save of the session before may still be on its way; once committed it is the one to go on from.
    if (!saver()->wait(kLongestSave)) {
      log(LogLevel::kError,
          "a save of the session before is still being written; an older checkpoint is used");
    }
    const std::string prefix = find_checkpoint(created);
    if (prefix.empty()) {
      return;
    }
    saver()->restore(*created.session, prefix);
    created.restored_from = prefix;
    if (!options.checkpoint_dir.empty()) {
      if (const auto state = get_checkpoint_state(options.checkpoint_dir)) {
        saver()->recover_last_checkpoints(state->all_model_checkpoint_paths);
      }
    }
  }

  void warm_start(CreatedSession& created) const {
    if (options.warm_start_from.empty() || saver() == nullptr) {
      return;
    }
    const std::vector<std::string> lacking =
        created.session->restore_available(saver()->def(), options.warm_start_from);
    log(LogLevel::kInfo, fmt::format("started from {}", options.warm_start_from));
    if (!lacking.empty()) {
      created.notes.push_back(fmt::format("not in {}, so initialised anew: {}", options.warm_start_from,
                                          fmt::join(lacking, ", ")));
      log(LogLevel::kWarning, created.notes.back());
    }
  }
};

ChiefSessionCreator::ChiefSessionCreator(Graph& graph) : ChiefSessionCreator(graph, Options{}) {}

ChiefSessionCreator::ChiefSessionCreator(Graph& graph, Options options)
    : impl_(std::make_unique<Impl>(Impl{graph, std::move(options)})) {
  if (!impl_->options.scaffold) {
    impl_->options.scaffold = std::make_shared<Scaffold>();
  }
  if (!impl_->options.checkpoint_dir.empty() && !impl_->options.checkpoint_filename_with_path.empty()) {
    throw Error(
        Code::kInvalidArgument,
        "ChiefSessionCreator: checkpoint_dir and checkpoint_filename_with_path were both given; give one");
  }
}

ChiefSessionCreator::~ChiefSessionCreator() = default;

Graph& ChiefSessionCreator::graph() const { return impl_->graph; }
const std::shared_ptr<Scaffold>& ChiefSessionCreator::scaffold() const noexcept {
  return impl_->options.scaffold;
}

CreatedSession ChiefSessionCreator::create_session(const AnnouncedPlans& announced) {
  Scaffold& scaffold = *impl_->options.scaffold;
  scaffold.finalize(impl_->graph);
  SessionConfig config = impl_->options.config;
  if (announced) {
    config.announced = announced();
  }
  CreatedSession created;
  created.session = impl_->graph.create_session(config);
  try {
    impl_->restore(created);
    if (created.restored_from.empty()) {
      initialize(*created.session, scaffold);
      impl_->warm_start(created);
    }
    make_ready(*created.session, scaffold);
  } catch (...) {
    // The session is of no use to anybody; an error of its close would hide the cause.
    try {
      created.session->close();
    } catch (const std::exception& error) {
      log(LogLevel::kWarning,
          fmt::format("a session that did not become ready failed to close: {}", error.what()));
    }
    throw;
  }
  return created;
}

}  // namespace fermata
