// Savers and scaffolds as scenarios describe them.
#include <functional>
#include <map>
#include <type_traits>

#include "conformance/errors.h"
#include "conformance/phase.h"
#include "conformance/watched_session.h"

namespace fermata::conformance {
namespace {

void call_init_fn(World& world, const Json& action, std::int64_t call, Scaffold& scaffold, Session& session) {
  const Json& error = member(action, "raise");
  const Json& wanted = member(action, "call");
  const bool fails = !error.is_null() && (wanted.is_null() || wanted.get<std::int64_t>() == call);
  world.say("init_fn " + label_of(&session) + (fails ? " ! " + error.get<std::string>() : ""));
  if (fails) {
    raise(error.get<std::string>());
  }
  if (has(action, "restore")) {
    scaffold.saver()->restore(session, world.path(action["restore"]));
  }
  if (has(action, "set_w")) {
    Session& unseen = dynamic_cast<WatchedSession&>(session).unseen();
    SessionRunArgs args({"custom/set_w"});
    args.feed("custom/value:0", Tensor::scalar(action["set_w"].get<float>()));
    static_cast<void>(unseen.run(args));
  }
}

Scaffold::FeedList feeds_of(const Phase& phase, const Json& spec) {
  Scaffold::FeedList feeds;
  if (spec.is_object()) {
    for (const auto& [name, value] : spec.items()) {
      feeds.push_back(phase.graph.named_feed(name, value));
    }
  }
  return feeds;
}

std::optional<Fetch> piece_of(const Phase& phase, const Json& args, const char* key) {
  const Json& name = member(args, key);
  return name.is_null() ? std::nullopt : std::optional(phase.graph.fetch(name.get<std::string>()));
}

template <typename Options>
constexpr bool kCanDefer = requires(Options options) {
  options.defer_build;
};

// For all variables, or for those of `only` or `names`.
SaverDef saver_def(Graph& graph, const Json& args) {
  std::map<std::string, std::string> names;
  for (const Json& name : member(args, "only")) {
    names[name.get<std::string>()] = name.get<std::string>();
  }
  if (has(args, "names")) {
    for (const auto& [name, variable] : args["names"].items()) {
      names[name] = variable.get<std::string>();
    }
  }
  if (has(args, "defer_build")) {
    if (has(args, "only")) {
      static_assert(!kCanDefer<Saver::Options>);
      throw RefusedByCompiler("InvalidArg");
    }
    throw NotExpressible("a saver that is built later: it is built when it is made");
  }
  if (has(args, "only") && args["only"].empty()) {
    throw NotExpressible("a saver of nothing");
  }
  if (has(args, "only") || has(args, "names")) {
    return graph.add_saver(names);
  }
  return graph.default_saver().value_or(SaverDef{});
}

}  // namespace

std::shared_ptr<Saver> make_saver(World& world, Graph& graph, const Json& args) {
  Saver::Options options;
  options.max_to_keep = args.value("max_to_keep", options.max_to_keep);
  options.keep_checkpoint_every_n_hours =
      args.value("keep_checkpoint_every_n_hours", options.keep_checkpoint_every_n_hours);
  options.pad_step_number = args.value("pad_step_number", false);
  options.save_relative_paths = args.value("save_relative_paths", false);
  options.clock = world.clock;
  SaverDef def = saver_def(graph, args);
  def.sharded = args.value("sharded", false);
  return std::make_shared<Saver>(std::move(def), options);
}

Scaffold::Options scaffold_options(Phase& phase, const Json& args) {
  Scaffold::Options options;
  options.init_op = piece_of(phase, args, "init_op");
  options.ready_op = piece_of(phase, args, "ready_op");
  options.ready_for_local_init_op = piece_of(phase, args, "ready_for_local_init_op");
  options.local_init_op = piece_of(phase, args, "local_init_op");
  options.summary_op = piece_of(phase, args, "summary_op");
  options.init_feed_dict = feeds_of(phase, member(args, "init_feed_dict"));
  options.local_init_feed_dict = feeds_of(phase, member(args, "local_init_feed_dict"));
  options.saver_options.clock = phase.world.clock;
  if (has(args, "saver")) {
    options.saver = make_saver(phase.world, phase.graph, args["saver"]);
  }
  if (has(args, "init_fn")) {
    auto calls = std::make_shared<std::int64_t>(0);
    options.init_fn = [&world = phase.world, action = args["init_fn"], calls](Scaffold& scaffold,
                                                                              Session& session) {
      call_init_fn(world, action, ++*calls, scaffold, session);
    };
  }
  return options;
}

std::shared_ptr<Scaffold> make_scaffold(Phase& phase, const Json& args) {
  if (args.is_null()) {
    return nullptr;
  }
  const Json& source = member(args, "copy_from");
  if (source.is_string()) {
    static_assert(!std::is_constructible_v<Scaffold, Scaffold::Options, int>);
    throw RefusedByCompiler("TypeErr");
  }
  if (!source.is_null()) {
    return std::make_shared<Scaffold>(scaffold_options(phase, args), *make_scaffold(phase, source));
  }
  return std::make_shared<Scaffold>(scaffold_options(phase, args));
}

}  // namespace fermata::conformance
