#include "fermata/singular_monitored_session.h"

#include <utility>

namespace fermata {
namespace {

MonitoredSession::Options to_options(Graph& graph, SingularMonitoredSession::Options options) {
  auto creator = std::make_shared<ChiefSessionCreator>(
      graph, ChiefSessionCreator::Options{
                 .scaffold = std::move(options.scaffold),
                 .config = std::move(options.config),
                 .checkpoint_dir = std::move(options.checkpoint_dir),
                 .checkpoint_filename_with_path = std::move(options.checkpoint_filename_with_path)});
  return {.session_creator = std::move(creator),
          .hooks = std::move(options.hooks),
          .announce = std::move(options.announce),
          .stop_grace_period = options.stop_grace_period,
          .clock = std::move(options.clock),
          .stop_on_signals = options.stop_on_signals,
          .stop = std::move(options.stop)};
}

}  // namespace

SingularMonitoredSession::SingularMonitoredSession(Graph& graph)
    : SingularMonitoredSession(graph, Options{}) {}

SingularMonitoredSession::SingularMonitoredSession(Graph& graph, Options options)
    : MonitoredSession(graph, to_options(graph, std::move(options)), Preemptions::kThrown) {}

}  // namespace fermata
