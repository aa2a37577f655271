#include "session/session_readiness.h"

#include <fmt/format.h>

#include "fermata/error.h"
#include "fermata/log.h"

namespace fermata {
namespace {

constexpr std::int64_t kNamesShown = 10;

void run_op(Session& session, const Fetch& op, const Scaffold::FeedList& feeds) {
  SessionRunArgs args({op});
  for (const auto& [name, value] : feeds) {
    args.feed(name, value);
  }
  static_cast<void>(session.run(args));
}

std::string listed_names(const TensorView& names) {
  std::string text;
  for (std::int64_t i = 0; i < names.size() && i < kNamesShown; ++i) {
    text += (i == 0 ? "" : ", ") + std::string(names.string(i));
  }
  if (names.size() > kNamesShown) {
    text += fmt::format(" and {} more", names.size() - kNamesShown);
  }
  return text;
}

}  // namespace

std::optional<std::string> why_not_ready(Session& session, const std::optional<Fetch>& ready_op) {
  if (!ready_op) {
    return std::nullopt;
  }
  try {
    const Tensor answer = session.run(*ready_op);
    if (answer.dtype() != DType::kString || answer.size() == 0) {
      return std::nullopt;
    }
    return "not initialized: " + listed_names(answer.view());
  } catch (const Error& error) {
    const std::string_view text = error.what();
    if (error.code() == Code::kFailedPrecondition && text.find("uninitialized") != std::string_view::npos) {
      return fmt::format("the ready op itself met something uninitialized: {}", text);
    }
    if (error.code() == Code::kFailedPrecondition) {
      log(LogLevel::kWarning, fmt::format("the ready op '{}' failed: {}", ready_op->name(), text));
    }
    throw;
  }
}

void initialize(Session& session, Scaffold& scaffold) {
  if (!scaffold.init_op() && !scaffold.has_init_fn() && !scaffold.local_init_op()) {
    throw Misuse(
        "nothing was restored and the scaffold has no init_op, no init_fn and no local_init_op; give one of "
        "them or a "
        "checkpoint");
  }
  if (scaffold.init_op()) {
    run_op(session, *scaffold.init_op(), scaffold.init_feed_dict());
  }
  if (scaffold.has_init_fn()) {
    scaffold.call_init_fn(session);
  }
}

void make_ready(Session& session, const Scaffold& scaffold) {
  if (scaffold.local_init_op()) {
    if (const auto reason = why_not_ready(session, scaffold.ready_for_local_init_op())) {
      throw Misuse(fmt::format("Init operations did not make the session ready for local_init: {}", *reason));
    }
    run_op(session, *scaffold.local_init_op(), scaffold.local_init_feed_dict());
  }
  if (const auto reason = why_not_ready(session, scaffold.ready_op())) {
    throw Misuse(fmt::format("Init operations did not make model ready: {}", *reason));
  }
}

}  // namespace fermata
