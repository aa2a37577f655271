#include <utility>

#include "fermata/session_creator.h"
#include "session/managed_creation.h"

namespace fermata {

struct WorkerSessionCreator::Impl {
  Graph& graph;
  Options options;
};

WorkerSessionCreator::WorkerSessionCreator(Graph& graph) : WorkerSessionCreator(graph, Options{}) {}

WorkerSessionCreator::WorkerSessionCreator(Graph& graph, Options options)
    : impl_(std::make_unique<Impl>(Impl{graph, std::move(options)})) {
  if (!impl_->options.scaffold) {
    impl_->options.scaffold = std::make_shared<Scaffold>();
  }
}

WorkerSessionCreator::~WorkerSessionCreator() = default;

Graph& WorkerSessionCreator::graph() const { return impl_->graph; }
const std::shared_ptr<Scaffold>& WorkerSessionCreator::scaffold() const noexcept {
  return impl_->options.scaffold;
}

CreatedSession WorkerSessionCreator::create_session(const CreationRequest& request) {
  Scaffold& scaffold = *impl_->options.scaffold;
  scaffold.finalize(impl_->graph);
  SessionManager::Options options = manager_options(scaffold);
  options.recovery_wait = impl_->options.recovery_wait;
  options.clock = impl_->options.clock;
  SessionManager manager(impl_->graph, std::move(options));
  return manager.wait_for_session({.config = config_with(impl_->options.config, request),
                                   .max_wait = impl_->options.max_wait,
                                   .stop = request.stop});
}

}  // namespace fermata
