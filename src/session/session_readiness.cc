#include "session/session_readiness.h"

#include <fmt/format.h>

#include "fermata/error.h"
#include "fermata/log.h"

namespace fermata {
namespace {

constexpr std::int64_t kNamesShown = 10;

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

void run_ops(Session& session, const std::vector<Fetch>& ops, const SessionManager::FeedList& feeds,
             const std::optional<RunOptions>& options) {
  if (ops.empty()) {
    return;
  }
  SessionRunArgs args(ops);
  for (const auto& [name, value] : feeds) {
    args.feed(name, value);
  }
  if (options) {
    args.set_options(*options);
  }
  static_cast<void>(session.run(args));
}

}  // namespace fermata
