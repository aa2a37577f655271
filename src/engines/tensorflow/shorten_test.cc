#include "engines/tensorflow/shorten.h"

#include <gtest/gtest.h>

namespace fermata::tensorflow_plugin {
namespace {

TEST(ShortenTest, LeavesWhatFits) {
  EXPECT_EQ(shorten("", 10), "");
  EXPECT_EQ(shorten("0123456789", 10), "0123456789");
}

TEST(ShortenTest, KeepsTheBeginningAndTheEnd) {
  const std::string text = "Detected at node 'loss'" + std::string(9000, '.') + "the cause";
  const std::string shown = shorten(text, 4095);
  EXPECT_LE(shown.size(), 4095U);
  EXPECT_TRUE(shown.starts_with("Detected at node 'loss'"));
  EXPECT_TRUE(shown.ends_with("the cause"));
  EXPECT_NE(shown.find("\n[...]\n"), std::string::npos);
}

bool is_whole_characters(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const bool is_omission = text[i] == '\n' || text[i] == '[' || text[i] == '.' || text[i] == ']';
    if (!is_omission && text.substr(i, 3) != "\u20ac") return false;
    i += is_omission ? 1 : 3;
  }
  return true;
}

TEST(ShortenTest, TearsNoCharacter) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\u20ac";
  for (std::size_t capacity = 0; capacity < 120; ++capacity) {
    const std::string shown = shorten(text, capacity);
    EXPECT_LE(shown.size(), capacity);
    EXPECT_TRUE(is_whole_characters(shown)) << capacity;
  }
}

}  // namespace
}  // namespace fermata::tensorflow_plugin
