// A step of TensorFlow in which no hook is due allocates nothing of Fermata's. What the plug-in and
// TensorFlow allocate is not seen here: they use an allocator of their own.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>

#include "engines/tensorflow_graph/model_test_support.h"
#include "fermata/fermata.h"
#include "tests/support/temp_folder.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> of_fermata{0};
std::atomic<std::int64_t> of_tensorflow{0};

void count(const void* caller) noexcept {
  if (!counting.load(std::memory_order_relaxed)) {
    return;
  }
  Dl_info info;
  const bool foreign =
      dladdr(caller, &info) != 0 && std::strstr(info.dli_fname, "/libtensorflow_") != nullptr;
  (foreign ? of_tensorflow : of_fermata).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

// The forms that others fall back on.
void* operator new(std::size_t size) {
  count(__builtin_return_address(0));
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) {
  count(__builtin_return_address(0));
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace fermata {
namespace {

constexpr Step kNever = 1'000'000'000;

using Feeds = std::vector<std::pair<std::string, Tensor>>;

class TensorflowAllocationTest : public testing::Test {
 protected:
  // The values of the feed hook are the user's: what making the list takes is counted apart.
  Feeds next_feeds() {
    const std::int64_t before = of_fermata.load();
    Feeds feeds = {{"x:0", one_}};
    of_the_user_ += of_fermata.load() - before;
    return feeds;
  }

  std::vector<HookPtr> eight_hooks() {
    const Output loss = model_.tensor("loss:0");
    return {make_hook<StopAtStepHook>({.last_step = kNever}),
            make_hook<LoggingTensorHook>({.tensors = {{"loss", loss}}, .every_n_iter = kNever}),
            make_hook<CheckpointSaverHook>({.checkpoint_dir = folder_.path(), .save_steps = kNever}),
            make_hook<StepCounterHook>({.every_n_steps = kNever}),
            make_hook<SummarySaverHook>({.save_steps = kNever,
                                         .output_dir = folder_.path(),
                                         .summary_op = {model_.collection("summary_op").front()}}),
            make_hook<NanTensorHook>({.loss_tensors = {loss}}),
            make_hook<FinalOpsHook>({.final_ops = {loss}}),
            make_hook<FeedFnHook>({.feed_fn = [this] { return next_feeds(); }})};
  }

  TempFolder folder_;
  tensorflow::Model model_ = tensorflow::open(tensorflow::fixture("executors/fed_counter.meta"));
  const Tensor one_ = Tensor::scalar(1.0F);
  std::int64_t of_the_user_ = 0;
};

TEST_F(TensorflowAllocationTest, EightHooksOfWhichNoneIsDueAllocateNothing) {
  const SessionRunArgs args({model_.train_op()});
  MonitoredSession loop(model_, {.hooks = eight_hooks(), .announce = {&args}});
  for (int i = 0; i < 3; ++i) {
    loop.run(args);
  }
  of_the_user_ = 0;
  counting.store(true);
  for (int i = 0; i < 1000 && !loop.should_stop(); ++i) {
    loop.run(args);
  }
  counting.store(false);
  EXPECT_EQ(of_the_user_, 1000);  // So what is ours is seen.
  EXPECT_EQ(of_fermata.load() - of_the_user_, 0);
  std::cout << "TensorFlow's own in each step, as far as they are seen here: " << of_tensorflow.load() / 1000
            << "\n";
  EXPECT_EQ(loop.step(), 1003);
}

}  // namespace
}  // namespace fermata
