// Writes one checkpoint with every kind of tensor, for Python to read back: bundle_maker PREFIX.
#include <complex>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "checkpoint/bundle_writer.h"
#include "fermata/tensor.h"

namespace fermata {
namespace {

constexpr std::int64_t kWhole = TensorSlice::kWholeDimension;

void add(BundleWriter& writer, const std::string& name, const Tensor& value) {
  writer.add(name, value.view());
}

// Lowest, −1 or 1, and highest value.
template <typename T>
void add_limits(BundleWriter& writer, const std::string& name) {
  add(writer, name,
      Tensor::of<T>({3},
                    {std::numeric_limits<T>::lowest(), static_cast<T>(-1), std::numeric_limits<T>::max()}));
}

void add_numbers(BundleWriter& writer) {
  add_limits<std::int8_t>(writer, "z/int8");
  add_limits<std::int16_t>(writer, "z/int16");
  add_limits<std::int32_t>(writer, "z/int32");
  add_limits<std::int64_t>(writer, "z/int64");
  add_limits<std::uint8_t>(writer, "z/uint8");
  add_limits<std::uint16_t>(writer, "z/uint16");
  add_limits<std::uint32_t>(writer, "z/uint32");
  add_limits<std::uint64_t>(writer, "z/uint64");
  add_limits<float>(writer, "float32");
  add_limits<double>(writer, "float64");
  add(writer, "bool", Tensor::of<bool>({3}, {true, false, true}));
  add(writer, "complex64", Tensor::of<std::complex<float>>({2}, {{1, -2}, {0, 0.5F}}));
  add(writer, "complex128", Tensor::of<std::complex<double>>({1}, {{1, -2}}));
  add(writer, "half", Tensor::of<Half>({2}, {Half{0x3c00}, Half{0xb800}}));
  add(writer, "bfloat16", Tensor::of<BFloat16>({2}, {BFloat16{0x3f80}, BFloat16{0xbf00}}));
}

void add_rest(BundleWriter& writer) {
  add(writer, "scalar", Tensor::scalar(std::int64_t{12}));
  add(writer, "empty", Tensor::of<float>({0, 3}, {}));
  add(writer, "cube", Tensor::of<std::int32_t>({2, 1, 3}, {1, 2, 3, 4, 5, 6}));
  add(writer, "words",
      Tensor::strings({2, 2}, {"", std::string("\0\xff", 2), "gr\u00fc\u00dfe", std::string(300, 'x')}));
  add(writer, "word", Tensor::string_scalar("alone"));
  add(writer, "no_words", Tensor::strings({0}, {}));
  add(writer, "large", Tensor::of<float>({1000, 300}, std::vector<float>(300000, 0.25F)));
  writer.add_slice("table", {5, 2}, {{{3, 2}, {0, kWhole}}}, Tensor::of<float>({2, 2}, {6, 7, 8, 9}).view());
  writer.add_slice("table", {5, 2}, {{{0, 3}, {0, kWhole}}},
                   Tensor::of<float>({3, 2}, {0, 1, 2, 3, 4, 5}).view());
  for (int i = 0; i < 3000; ++i) {
    add(writer, "many/" + std::to_string(i), Tensor::scalar(i));
  }
}

}  // namespace
}  // namespace fermata

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: bundle_maker PREFIX\n", stderr);
    return 2;
  }
  try {
    fermata::BundleWriter writer(argv[1]);
    fermata::add_numbers(writer);
    fermata::add_rest(writer);
    writer.finish();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
