#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "fermata/log.h"
#include "fermata/session_creator.h"
#include "session/managed_creation.h"

namespace fermata {

SessionCreator::~SessionCreator() = default;

struct ChiefSessionCreator::Impl {
  Graph& graph;
  Options options;

  // What initialises beside init_op: the scaffold's function, then the checkpoint of a warm start.
  [[nodiscard]] std::function<void(Session&)> init_fn(std::vector<std::string>& notes) const {
    Scaffold& scaffold = *options.scaffold;
    const bool warm = !options.warm_start_from.empty() && scaffold.saver() != nullptr;
    if (!scaffold.has_init_fn() && !warm) {
      return nullptr;
    }
    return [this, warm, &scaffold, &notes](Session& session) {
      if (scaffold.has_init_fn()) {
        scaffold.call_init_fn(session);
      }
      if (warm) {
        warm_start(session, notes);
      }
    };
  }

  void warm_start(Session& session, std::vector<std::string>& notes) const {
    const std::vector<std::string> lacking =
        session.restore_available(options.scaffold->saver()->def(), options.warm_start_from);
    log(LogLevel::kInfo, fmt::format("started from {}", options.warm_start_from));
    if (!lacking.empty()) {
      notes.push_back(fmt::format("not in {}, so initialised anew: {}", options.warm_start_from,
                                  fmt::join(lacking, ", ")));
      log(LogLevel::kWarning, notes.back());
    }
  }
};

ChiefSessionCreator::ChiefSessionCreator(Graph& graph) : ChiefSessionCreator(graph, Options{}) {}

ChiefSessionCreator::ChiefSessionCreator(Graph& graph, Options options)
    : impl_(std::make_unique<Impl>(Impl{graph, std::move(options)})) {
  if (!impl_->options.scaffold) {
    impl_->options.scaffold = std::make_shared<Scaffold>();
  }
}

ChiefSessionCreator::~ChiefSessionCreator() = default;

Graph& ChiefSessionCreator::graph() const { return impl_->graph; }
const std::shared_ptr<Scaffold>& ChiefSessionCreator::scaffold() const noexcept {
  return impl_->options.scaffold;
}

CreatedSession ChiefSessionCreator::create_session(const CreationRequest& request) {
  Scaffold& scaffold = *impl_->options.scaffold;
  scaffold.finalize(impl_->graph);
  std::vector<std::string> notes;
  SessionManager manager(impl_->graph, manager_options(scaffold));
  CreatedSession created =
      manager.prepare_session({.init_op = as_list(scaffold.init_op()),
                               .init_feed_dict = scaffold.init_feed_dict(),
                               .init_fn = impl_->init_fn(notes),
                               .saver = scaffold.saver(),
                               .checkpoint_dir = impl_->options.checkpoint_dir,
                               .checkpoint_filename_with_path = impl_->options.checkpoint_filename_with_path,
                               .config = config_with(impl_->options.config, request),
                               .stop = request.stop});
  created.notes.insert(created.notes.end(), notes.begin(), notes.end());
  return created;
}

}  // namespace fermata
