#include "fermata/scaffold.h"

#include <fmt/format.h>

#include <utility>

#include "fermata/error.h"
#include "fermata/log.h"

namespace fermata {
namespace {

// The only element of a collection, by its name there; nothing if it is empty.
std::optional<Fetch> from_collection(const Graph& graph, std::string_view key) {
  const std::vector<std::string> names = graph.collection(key);
  if (names.size() > 1) {
    throw Misuse(fmt::format(
        "More than one item in the collection '{}': {} were found, at most one was expected; give "
        "the piece to the Scaffold or take the others out of the collection",
        key, names.size()));
  }
  return names.empty() ? std::nullopt : std::optional<Fetch>(names.front());
}

template <typename Make>
void fill(std::optional<Fetch>& piece, Graph& graph, std::string_view key, const Make& make) {
  if (!piece) {
    piece = from_collection(graph, key);
  }
  if (!piece) {
    piece = make();
    if (piece) {
      graph.add_to_collection(key, piece->name());
    }
  }
}

// The graph's own saver: one object for all its scaffolds, so that they keep one list of checkpoints.
std::shared_ptr<Saver> saver_of(Graph& graph, const Saver::Options& options) {
  if (graph.collection(collections::kSavers).size() > 1) {
    static_cast<void>(from_collection(graph, collections::kSavers));
  }
  if (!graph.shared_saver()) {
    if (std::optional<SaverDef> def = graph.default_saver()) {
      graph.share_saver(std::make_shared<Saver>(std::move(*def), options));
    }
  }
  return graph.shared_saver();
}

template <typename T>
void take_if_absent(T& mine, const T& other, bool absent) {
  if (absent) {
    mine = other;
  }
}

}  // namespace

struct Scaffold::Impl {
  Options pieces;
  const Graph* finalized_for = nullptr;
};

Scaffold::Scaffold() : Scaffold(Options{}) {}
Scaffold::Scaffold(Options options) : impl_(std::make_unique<Impl>(Impl{std::move(options), nullptr})) {}

Scaffold::Scaffold(Options options, const Scaffold& other) : Scaffold(std::move(options)) {
  Options& mine = impl_->pieces;
  const Options& theirs = other.impl_->pieces;
  take_if_absent(mine.init_op, theirs.init_op, !mine.init_op);
  take_if_absent(mine.init_feed_dict, theirs.init_feed_dict, mine.init_feed_dict.empty());
  take_if_absent(mine.init_fn, theirs.init_fn, !mine.init_fn);
  take_if_absent(mine.ready_op, theirs.ready_op, !mine.ready_op);
  take_if_absent(mine.ready_for_local_init_op, theirs.ready_for_local_init_op, !mine.ready_for_local_init_op);
  take_if_absent(mine.local_init_op, theirs.local_init_op, !mine.local_init_op);
  take_if_absent(mine.local_init_feed_dict, theirs.local_init_feed_dict, mine.local_init_feed_dict.empty());
  take_if_absent(mine.summary_op, theirs.summary_op, !mine.summary_op);
  take_if_absent(mine.saver, theirs.saver, mine.saver == nullptr);
}

Scaffold::~Scaffold() = default;

void Scaffold::finalize(Graph& graph) {
  if (impl_->finalized_for == &graph) {
    graph.finalize();
    return;
  }
  Options& pieces = impl_->pieces;
  fill(pieces.init_op, graph, collections::kInitOp, [&] { return Fetch(graph.default_init_op()); });
  fill(pieces.ready_op, graph, collections::kReadyOp, [&] { return Fetch(graph.default_ready_op()); });
  fill(pieces.ready_for_local_init_op, graph, collections::kReadyForLocalInitOp,
       [&] { return Fetch(graph.default_ready_for_local_init_op()); });
  fill(pieces.local_init_op, graph, collections::kLocalInitOp,
       [&] { return Fetch(graph.default_local_init_op()); });
  fill(pieces.summary_op, graph, collections::kSummaryOp, [&]() -> std::optional<Fetch> {
    const std::optional<Output> made = graph.default_summary_op();
    return made ? std::optional<Fetch>(*made) : std::nullopt;
  });
  if (!pieces.saver) {
    pieces.saver = saver_of(graph, pieces.saver_options);
  } else {
    pieces.saver->build();
  }
  graph.finalize();
  impl_->finalized_for = &graph;
  log(LogLevel::kDebug, "the graph is finalized");
}

const std::optional<Fetch>& Scaffold::init_op() const noexcept { return impl_->pieces.init_op; }
const Scaffold::FeedList& Scaffold::init_feed_dict() const noexcept { return impl_->pieces.init_feed_dict; }
bool Scaffold::has_init_fn() const noexcept { return static_cast<bool>(impl_->pieces.init_fn); }
void Scaffold::call_init_fn(Session& session) { impl_->pieces.init_fn(*this, session); }
const std::optional<Fetch>& Scaffold::ready_op() const noexcept { return impl_->pieces.ready_op; }
const std::optional<Fetch>& Scaffold::ready_for_local_init_op() const noexcept {
  return impl_->pieces.ready_for_local_init_op;
}
const std::optional<Fetch>& Scaffold::local_init_op() const noexcept { return impl_->pieces.local_init_op; }
const Scaffold::FeedList& Scaffold::local_init_feed_dict() const noexcept {
  return impl_->pieces.local_init_feed_dict;
}
const std::optional<Fetch>& Scaffold::summary_op() const noexcept { return impl_->pieces.summary_op; }
const std::shared_ptr<Saver>& Scaffold::saver() const noexcept { return impl_->pieces.saver; }

}  // namespace fermata
