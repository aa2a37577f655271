// Arrays for NumPy: .npy files, and .npz archives of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output_file.h"
#include "fermata/tensor.h"

namespace fermata::cli {

// What numpy.load reads. bfloat16 becomes float32, other types that NumPy does not have their bytes (uint8);
// texts become fields of bytes as long as the longest. Throws: Error kUnimplemented for a type without plain
// data.
struct NpyContent {
  std::string header;
  // The values, where they had to be put in another form; else empty.
  std::string converted;
  TensorView plain;

  [[nodiscard]] std::string_view values() const noexcept;
};
[[nodiscard]] NpyContent npy_content(const TensorView& value);

// An uncompressed zip archive with an entry `NAME.npy` for each array; of more than 4 GB too.
class NpzWriter {
 public:
  explicit NpzWriter(const std::string& path) : file_(path) {}
  // Throws: Error (system), as npy_content.
  void add(const std::string& name, const TensorView& value);
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
  };

  OutputFile file_;
  std::vector<Entry> entries_;
};

}  // namespace fermata::cli
