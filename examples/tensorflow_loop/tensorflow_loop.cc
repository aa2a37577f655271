// Trains a graph that Python exported, to an exact step, with data of one's own.
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fermata/fermata.h"
#include "fermata/tensorflow.h"

namespace {

constexpr std::int64_t kBatch = 32;
constexpr std::int64_t kPixels = 64;

// The numbers of a `.npy` file of format 1.0: two bytes at 8 say how long the header is, the numbers follow.
template <typename T>
std::vector<T> read_numbers(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t start = bytes.size() < 10 ? bytes.size()
                                              : 10 + static_cast<unsigned char>(bytes[8]) +
                                                    256 * static_cast<unsigned char>(bytes[9]);
  if (start >= bytes.size()) {
    throw fermata::Error(fermata::Code::kInvalidArgument, path + " holds no numbers");
  }
  const auto* first = reinterpret_cast<const T*>(bytes.data() + start);
  return {first, first + (bytes.size() - start) / sizeof(T)};
}

// The training images in batches, in order and again from the start.
class Digits {
 public:
  explicit Digits(const std::string& dir)
      : images_(read_numbers<float>(dir + "/train_x.npy")),
        labels_(read_numbers<std::int64_t>(dir + "/train_y.npy")) {}

  void next() { row_ = row_ + 2 * kBatch > labels_.size() ? 0 : row_ + kBatch; }
  [[nodiscard]] fermata::Tensor images() const {
    return fermata::Tensor::of<float>({kBatch, kPixels},
                                      std::span(images_).subspan(row_ * kPixels, kBatch * kPixels));
  }
  [[nodiscard]] fermata::Tensor labels() const {
    return fermata::Tensor::of<std::int64_t>({kBatch}, std::span(labels_).subspan(row_, kBatch));
  }

 private:
  std::vector<float> images_;
  std::vector<std::int64_t> labels_;
  std::size_t row_ = 0;
};

void run(const std::string& data_dir, const std::string& dir, fermata::Step last_step) {
  Digits batches(data_dir);
  auto model = fermata::tensorflow::open(data_dir + "/digits.meta");
  fermata::SessionRunArgs request({model.train_op(), model.tensor("loss:0")});
  const fermata::FeedSlot x = request.feed(model.tensor("x:0"));
  const fermata::FeedSlot y = request.feed(model.tensor("y:0"));

  auto session = fermata::monitored_training_session(
      model, {.checkpoint_dir = dir,
              .hooks = {fermata::make_hook<fermata::StopAtStepHook>({.last_step = last_step}),
                        fermata::make_hook<fermata::LoggingTensorHook>(
                            {.tensors = {{"loss", model.tensor("loss:0")}}, .every_n_iter = 100})},
              .announce = {&request},
              .stop_on_signals = true});
  std::optional<float> last_loss;
  const fermata::StopVerdict verdict = session.run_until_stopped([&] {
    x.set(batches.images());
    y.set(batches.labels());
    last_loss = session.run(request).scalar<float>(1);
    batches.next();
  });

  std::printf("%s\n", verdict.to_string().c_str());
  if (last_loss) {
    std::printf("last loss: %.4f\n", *last_loss);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "examples/digits", argc > 2 ? argv[2] : "tensorflow_loop_run",
        argc > 3 ? std::stoll(argv[3]) : 500);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tensorflow_loop: %s\n", error.what());
    return 1;
  }
}
