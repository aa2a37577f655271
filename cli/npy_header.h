// The head of a .npy file: what its values are and where they begin.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "fermata/tensor.h"

namespace fermata::cli {

// Texts are kept by NumPy in fields of one length: bytes ('S'), or one 4-byte code point after the other
// ('U').
enum class NpyKind { kPlain, kBytes, kUnicode };

struct NpyHeader {
  NpyKind kind = NpyKind::kPlain;
  // kString for both kinds of text.
  DType dtype = DType::kInvalid;
  Shape shape;
  // Bytes of one element in the file.
  std::size_t item_bytes = 0;
  // Where the values begin.
  std::size_t data_offset = 0;
};

// Reads format versions 1 to 3. `path` is for messages only. Takes little-endian values in C order.
// Throws: Error kDataLoss for a torn header, kInvalidArgument for a file of another kind.
[[nodiscard]] NpyHeader parse_npy_header(std::span<const char> file, const std::string& path);

}  // namespace fermata::cli
