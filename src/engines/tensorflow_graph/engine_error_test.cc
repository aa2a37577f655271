#include "engines/tensorflow_graph/engine_error.h"

#include <gtest/gtest.h>

#include <cstring>

namespace fermata::tensorflow {
namespace {

TEST(EngineErrorTest, DropsNodeAndFunctionMarks) {
  EXPECT_EQ(
      engine_sentence("{{function_node __inference_train_7}} {{node a/b}} Incompatible shapes: [2] vs. [3]\n"
                      "\t [[{{node a/b}}]] [Op:__inference_train_7]"),
      "Incompatible shapes: [2] vs. [3] (in 'a/b')");
}

TEST(EngineErrorTest, KeepsANameThatTheTextHolds) {
  EXPECT_EQ(
      engine_sentence("You must feed a value for placeholder tensor 'x' with dtype float\n\t [[{{node x}}]]"),
      "You must feed a value for placeholder tensor 'x' with dtype float");
}

TEST(EngineErrorTest, TakesTheFirstOfSeveralCauses) {
  EXPECT_EQ(
      engine_sentence("2 root error(s) found.\n  (0) OUT_OF_RANGE: End of sequence\n\t [[{{node next}}]]\n"
                      "\t [[loss/_3]]\n  (1) OUT_OF_RANGE: End of sequence\n\t [[{{node next}}]]\n"
                      "0 successful operations.\n0 derived errors ignored."),
      "End of sequence (in 'next')");
}

TEST(EngineErrorTest, DropsHintsAndJoinsLines) {
  EXPECT_EQ(engine_sentence("first line\nsecond line.\n\t [[{{node n}}]]\nHint: If you want to see a list"),
            "first line second line (in 'n')");
}

TEST(EngineErrorTest, HasSomethingToSayInAnyCase) {
  EXPECT_EQ(engine_sentence(""), "TensorFlow gave no reason");
}

TEST(EngineErrorTest, StatusBecomesAnErrorOfTheEngine) {
  FermataStatus status{};
  check(status);
  status.code = 11;
  std::strcpy(status.message, "End of sequence");
  try {
    check(status, "running");
    FAIL() << "a failure has passed";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "running: End of sequence");
    EXPECT_EQ(error.code(), Code::kOutOfRange);
    EXPECT_EQ(error.source(), ErrorSource::kEngine);
  }
}

}  // namespace
}  // namespace fermata::tensorflow
