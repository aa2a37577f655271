// The pieces that bring a session to life: what initialises, what says ready, what saves.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fermata/export.h"
#include "fermata/graph.h"
#include "fermata/saver.h"
#include "fermata/session.h"

namespace fermata {

// Missing pieces are looked for in the graph's collection of the same name, else made (contract SCAF). Shared
// by the session creator and the hooks. Threads: one at a time.
class FERMATA_API Scaffold {
 public:
  using FeedList = std::vector<std::pair<std::string, Tensor>>;
  using InitFn = std::function<void(Scaffold&, Session&)>;

  struct Options {
    std::optional<Fetch> init_op;
    FeedList init_feed_dict;
    // Called after init_op, if nothing was restored.
    InitFn init_fn;
    std::optional<Fetch> ready_op;
    std::optional<Fetch> ready_for_local_init_op;
    std::optional<Fetch> local_init_op;
    FeedList local_init_feed_dict;
    std::optional<Fetch> summary_op;
    std::shared_ptr<Saver> saver;
    // How a saver is made if none is given.
    Saver::Options saver_options;
  };

  Scaffold();
  explicit Scaffold(Options options);
  // Every piece that `options` lacks is taken from `other`.
  Scaffold(Options options, const Scaffold& other);
  ~Scaffold();

  // Fills the missing pieces in the order init_op, ready_op, ready_for_local_init_op, local_init_op,
  // summary_op, saver, and closes the graph. A second call on the same graph changes nothing. Throws: Misuse
  // if a collection holds several pieces.
  void finalize(Graph& graph);

  // Valid after finalize.
  [[nodiscard]] const std::optional<Fetch>& init_op() const noexcept;
  [[nodiscard]] const FeedList& init_feed_dict() const noexcept;
  [[nodiscard]] bool has_init_fn() const noexcept;
  void call_init_fn(Session& session);
  [[nodiscard]] const std::optional<Fetch>& ready_op() const noexcept;
  [[nodiscard]] const std::optional<Fetch>& ready_for_local_init_op() const noexcept;
  [[nodiscard]] const std::optional<Fetch>& local_init_op() const noexcept;
  [[nodiscard]] const FeedList& local_init_feed_dict() const noexcept;
  [[nodiscard]] const std::optional<Fetch>& summary_op() const noexcept;
  // Null if the graph has nothing to save.
  [[nodiscard]] const std::shared_ptr<Saver>& saver() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fermata
