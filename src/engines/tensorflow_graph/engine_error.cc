#include "engines/tensorflow_graph/engine_error.h"

#include <fmt/format.h>

#include "fermata/log.h"

namespace fermata::tensorflow {
namespace {

// "{{function_node __inference_train_1}} {{node a/b}} text": what is in front of the text.
void drop_marks(std::string& text) {
  for (std::size_t at = text.find("{{"); at != std::string::npos; at = text.find("{{", at)) {
    const std::size_t end = text.find("}}", at);
    if (end == std::string::npos) {
      return;
    }
    text.erase(at, end + 2 - at);
    if (at < text.size() && text[at] == ' ') {
      text.erase(at, 1);
    }
  }
}

// The node of the first "[[{{node a/b}}]]".
std::string_view named_node(std::string_view message) {
  constexpr std::string_view kStart = "{{node ";
  const std::size_t at = message.find(kStart);
  const std::size_t end = at == std::string_view::npos ? at : message.find("}}", at);
  return end == std::string_view::npos ? std::string_view()
                                       : message.substr(at + kStart.size(), end - at - kStart.size());
}

// Of "2 root error(s) found.\n  (0) CODE: text\n ...\n  (1) ..." the first one.
std::string_view first_root(std::string_view message) {
  const std::size_t list = message.find("root error(s) found.");
  const std::size_t first = list == std::string_view::npos ? list : message.find("(0) ", list);
  if (first == std::string_view::npos) {
    return message;
  }
  message.remove_prefix(first + 4);
  message = message.substr(0, message.find("\n  (1)"));
  const std::size_t colon = message.find(": ");
  return colon == std::string_view::npos ? message : message.substr(colon + 2);
}

std::string first_lines(std::string_view message) {
  for (const char* end : {"\n\t [[", "\n\t[[", "\nHint:", "\n0 successful operations", "; NodeDef: "}) {
    message = message.substr(0, message.find(end));
  }
  std::string text(message);
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) {
    text[at] = ' ';
  }
  return text;
}

}  // namespace

std::string engine_sentence(std::string_view message) {
  const std::string_view root = first_root(message);
  const std::string_view node = named_node(root);
  std::string text = first_lines(root);
  drop_marks(text);
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) {
    text.pop_back();
  }
  const std::string quoted = fmt::format("'{}'", node);
  if (!node.empty() && text.find(quoted) == std::string::npos) {
    text += fmt::format(" (in {})", quoted);
  }
  return text.empty() ? std::string("TensorFlow gave no reason") : text;
}

void check(const FermataStatus& status, std::string_view doing) {
  if (status.code == 0) {
    return;
  }
  const auto code = static_cast<Code>(status.code);
  log(LogLevel::kDebug, fmt::format("TensorFlow: {}: {}", code_name(code), status.message));
  std::string text = engine_sentence(status.message);
  if (!doing.empty()) {
    text = fmt::format("{}: {}", doing, text);
  }
  throw Error(code, text, ErrorSource::kEngine);
}

}  // namespace fermata::tensorflow
