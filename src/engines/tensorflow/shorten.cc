#include "engines/tensorflow/shorten.h"

namespace fermata::tensorflow_plugin {
namespace {

constexpr std::string_view kOmission = "\n[...]\n";

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// A border between characters at or below `position`.
std::size_t border_before(std::string_view text, std::size_t position) {
  while (position > 0 && position < text.size() && continues_character(text[position])) --position;
  return position;
}

std::size_t border_after(std::string_view text, std::size_t position) {
  while (position < text.size() && continues_character(text[position])) ++position;
  return position;
}

}  // namespace

std::string shorten(std::string_view message, std::size_t capacity) {
  if (message.size() <= capacity) return std::string(message);
  if (capacity < 4 * kOmission.size())
    return std::string(message.substr(0, border_before(message, capacity)));
  const std::size_t tail_bytes = (capacity - kOmission.size()) / 3;
  const std::size_t head_bytes = capacity - kOmission.size() - tail_bytes;
  std::string text(message.substr(0, border_before(message, head_bytes)));
  text += kOmission;
  text += message.substr(border_after(message, message.size() - tail_bytes));
  return text;
}

}  // namespace fermata::tensorflow_plugin
