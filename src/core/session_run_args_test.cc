#include "fermata/session_run_args.h"

#include <gtest/gtest.h>

#include "fermata/error.h"

namespace fermata {
namespace {

TEST(SessionRunArgsTest, EachRequestHasAnIdentityOfItsOwn) {
  EXPECT_NE(SessionRunArgs({"a"}).id(), SessionRunArgs({"a"}).id());
}

TEST(SessionRunArgsTest, AChangeOfStructureIsANewIdentity) {
  SessionRunArgs args({"loss:0"});
  const auto first = args.id();
  args.fetch("train");
  const auto second = args.id();
  args.feed("x:0");
  const auto third = args.id();
  args.set_options({.timeout = std::chrono::seconds(1)});
  EXPECT_NE(first, second);
  EXPECT_NE(second, third);
  EXPECT_NE(third, args.id());
}

TEST(SessionRunArgsTest, ANewValueInAFeedSlotIsNoChange) {
  SessionRunArgs args;
  const FeedSlot x = args.feed("x:0");
  const auto before = args.id();
  x.set(Tensor::scalar(1.0F));
  x.set(Tensor::scalar(2.0F));
  EXPECT_EQ(args.id(), before);
  EXPECT_EQ(args.feeds().front().value.view().scalar<float>(), 2.0F);
}

TEST(SessionRunArgsTest, ASlotStaysValidWhenTheRequestMoves) {
  SessionRunArgs args;
  const FeedSlot x = args.feed("x:0");
  const SessionRunArgs moved = std::move(args);
  x.set(Tensor::scalar(3.0F));
  EXPECT_EQ(moved.feeds().front().value.view().scalar<float>(), 3.0F);
}

TEST(SessionRunArgsTest, ACopyKeepsTheIdentityUntilItChanges) {
  const SessionRunArgs args({"loss:0"});
  SessionRunArgs copy = args;
  EXPECT_EQ(copy.id(), args.id());
  copy.fetch("train");
  EXPECT_NE(copy.id(), args.id());
}

TEST(SessionRunArgsTest, OneNameIsFedOnce) {
  SessionRunArgs args;
  args.feed("x:0");
  EXPECT_THROW(args.feed("x:0"), Misuse);
}

TEST(SessionRunArgsTest, ASlotOfNoRequestIsMisuse) {
  EXPECT_THROW(FeedSlot().set(Tensor::scalar(1)), Misuse);
}

}  // namespace
}  // namespace fermata
