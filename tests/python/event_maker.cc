// Writes event files as a run leaves them that was killed and went on, with a value of each kind:
//
//   event_maker FOLDER
//
// The first file goes to step 20, the second one goes on from the checkpoint of step 12. The loss of a step
// is 1 / step, one more in the steps that were lost.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "fermata/event_writer.h"

namespace {

constexpr fermata::Step kKilledAt = 20;
constexpr fermata::Step kSavedAt = 12;
constexpr fermata::Step kLast = 30;

double loss(fermata::Step step) { return 1.0 / static_cast<double>(step); }

void add_other_kinds(fermata::EventWriter& writer, fermata::Step step) {
  const std::vector<float> weights = {-1, 0, 0.5F, 0.5F, 2};
  writer.add_histogram("weights", fermata::Tensor::of<float>({5}, weights).view(), step);
  // Two by two, in colours.
  const std::vector<std::uint8_t> pixels = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255};
  writer.add_image("picture", fermata::Tensor::of<std::uint8_t>({2, 2, 3}, pixels).view(), step);
  writer.add_text("note", "läuft **gut**", step);
  writer.add_tensor("matrix", fermata::Tensor::of<int>({2, 2}, {1, 2, 3, 4}).view(), step);
}

void write(const std::string& folder) {
  // The first process: what it wrote after its last checkpoint will be lost.
  fermata::EventWriter first(folder);
  first.add_session_start(1);
  for (fermata::Step step = 1; step <= kKilledAt; ++step) {
    first.add_scalar("loss", loss(step) + (step > kSavedAt ? 1 : 0), step);
    if (step == kSavedAt) {
      first.add_session_checkpoint(step, folder + "/model.ckpt-12");
    }
  }
  first.close();
  fermata::EventWriter second(folder);
  second.add_session_start(kSavedAt + 1);
  for (fermata::Step step = kSavedAt + 1; step <= kLast; ++step) {
    second.add_scalar("loss", loss(step), step);
  }
  add_other_kinds(second, kLast);
  second.close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "event_maker FOLDER\n");
    return 2;
  }
  try {
    write(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "event_maker: %s\n", error.what());
    return 1;
  }
}
