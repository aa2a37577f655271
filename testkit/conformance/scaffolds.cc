// Savers and scaffolds as scenarios describe them.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

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

// The variables of `only` or `names`; nothing: all.
std::optional<std::map<std::string, std::string>> var_list_of(const Graph& graph, const Json& args) {
  if (!has(args, "only") && !has(args, "names")) {
    return std::nullopt;
  }
  std::map<std::string, std::string> names;
  for (const VariableInfo& variable : graph.variables()) {
    const Json& only = member(args, "only");
    if (std::find(only.begin(), only.end(), variable.name) != only.end()) {
      names[variable.name] = variable.name;
    }
  }
  for (const auto& [name, variable] : member(args, "names").items()) {
    names[name] = variable.get<std::string>();
  }
  return names;
}

}  // namespace

std::shared_ptr<Saver> make_saver(World& world, Graph& graph, const Json& args) {
  for (const char* unknown : {"saver_def", "builder", "write_version"}) {
    if (has(args, unknown)) {
      throw NotExpressible(std::string("a saver with a ") + unknown);
    }
  }
  Saver::Options options;
  if (const Json& most = member(args, "max_to_keep"); !most.is_null()) {
    options.max_to_keep = most.get<int>();
  } else if (has(args, "max_to_keep")) {
    options.max_to_keep = 0;  // None keeps all, as 0 does.
  }
  options.keep_checkpoint_every_n_hours =
      args.value("keep_checkpoint_every_n_hours", options.keep_checkpoint_every_n_hours);
  options.pad_step_number = args.value("pad_step_number", false);
  options.save_relative_paths = args.value("save_relative_paths", false);
  options.clock = world.clock;
  options.reshape = args.value("reshape", false);
  options.var_list = var_list_of(graph, args);
  options.sharded = args.value("sharded", false);
  options.defer_build = args.value("defer_build", false);
  options.allow_empty = args.value("allow_empty", false);
  return std::make_shared<Saver>(graph, std::move(options));
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
