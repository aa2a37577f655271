// A .npy file whose rows are fed to a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/npy_header.h"
#include "fermata/tensor.h"

namespace fermata::cli {

// The file is mapped, not read: it may be larger than memory, and must not change while this lives. Copies
// share the mapping. Threads: any, once made.
class NpyFile {
 public:
  // Throws: Error, one sentence, for a file that is missing, torn, without rows, or of another kind.
  explicit NpyFile(std::string path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] DType dtype() const noexcept { return header_.dtype; }
  // All of the array; the first size is the number of rows.
  [[nodiscard]] const Shape& shape() const noexcept { return header_.shape; }
  [[nodiscard]] std::int64_t rows() const noexcept { return header_.shape.front(); }
  [[nodiscard]] std::size_t row_bytes() const noexcept { return row_bytes_; }
  // False for texts, which are stored in another form than they are fed in.
  [[nodiscard]] bool is_plain() const noexcept { return header_.kind == NpyKind::kPlain; }

  // Rows one after the other, without a copy where the values are plain; the tensor keeps the mapping.
  [[nodiscard]] Tensor rows_from(std::int64_t first, std::int64_t count) const;
  // Lets the system read these rows from the disk while others are used.
  void will_need(std::int64_t first, std::int64_t count) const noexcept;
  // The rows with these numbers, in this order.
  [[nodiscard]] Tensor rows_at(std::span<const std::uint32_t> numbers) const;

 private:
  class Mapping;

  [[nodiscard]] Shape batch_shape(std::int64_t rows) const;
  [[nodiscard]] const char* row(std::int64_t number) const;
  [[nodiscard]] Tensor plain_rows_from(std::int64_t first, std::int64_t count) const;
  void append_texts(std::int64_t number, std::vector<std::string>& texts) const;

  std::string path_;
  std::shared_ptr<const Mapping> mapping_;
  NpyHeader header_;
  std::size_t row_bytes_ = 0;
};

}  // namespace fermata::cli
