// Values: dtype, shape and bytes in host memory.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fermata/export.h"

namespace fermata {

// Element types; the numbers are those of TensorFlow's DataType (tensorflow/core/framework/types.proto).
enum class DType : std::int32_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQInt8 = 11,
  kQUInt8 = 12,
  kQInt32 = 13,
  kBFloat16 = 14,
  kQInt16 = 15,
  kQUInt16 = 16,
  kUInt16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,  // a handle; has no plain data
  kVariant = 21,   // has no plain data
  kUInt32 = 22,
  kUInt64 = 23,
  kFloat8E5M2 = 24,
  kFloat8E4M3FN = 25,
  kFloat8E4M3FNUZ = 26,
  kFloat8E4M3B11FNUZ = 27,
  kFloat8E5M2FNUZ = 28,
  kInt4 = 29,   // one element a byte in host memory
  kUInt4 = 30,  // one element a byte in host memory
  kInt2 = 31,   // one element a byte in host memory
  kUInt2 = 32,  // one element a byte in host memory
};

// "float32", "int64", "string" …: the names NumPy and TensorFlow's Python use. "dtype 99" for an unknown
// number.
[[nodiscard]] FERMATA_API std::string dtype_name(DType dtype);

// Bytes of one element; 0 for strings and for types without plain data.
[[nodiscard]] FERMATA_API std::size_t dtype_size(DType dtype) noexcept;

// 16-bit floats as raw bits, so that no header of a framework is needed.
struct Half {
  std::uint16_t bits = 0;
  friend bool operator==(Half, Half) = default;
};
struct BFloat16 {
  std::uint16_t bits = 0;
  friend bool operator==(BFloat16, BFloat16) = default;
};

// The dtype of a C++ type: dtype_of<float>() is DType::kFloat.
template <typename T>
[[nodiscard]] constexpr DType dtype_of() noexcept;

template <>
constexpr DType dtype_of<float>() noexcept {
  return DType::kFloat;
}
template <>
constexpr DType dtype_of<double>() noexcept {
  return DType::kDouble;
}
template <>
constexpr DType dtype_of<std::int8_t>() noexcept {
  return DType::kInt8;
}
template <>
constexpr DType dtype_of<std::int16_t>() noexcept {
  return DType::kInt16;
}
template <>
constexpr DType dtype_of<std::int32_t>() noexcept {
  return DType::kInt32;
}
template <>
constexpr DType dtype_of<std::int64_t>() noexcept {
  return DType::kInt64;
}
template <>
constexpr DType dtype_of<std::uint8_t>() noexcept {
  return DType::kUInt8;
}
template <>
constexpr DType dtype_of<std::uint16_t>() noexcept {
  return DType::kUInt16;
}
template <>
constexpr DType dtype_of<std::uint32_t>() noexcept {
  return DType::kUInt32;
}
template <>
constexpr DType dtype_of<std::uint64_t>() noexcept {
  return DType::kUInt64;
}
template <>
constexpr DType dtype_of<bool>() noexcept {
  return DType::kBool;
}
template <>
constexpr DType dtype_of<std::complex<float>>() noexcept {
  return DType::kComplex64;
}
template <>
constexpr DType dtype_of<std::complex<double>>() noexcept {
  return DType::kComplex128;
}
template <>
constexpr DType dtype_of<Half>() noexcept {
  return DType::kHalf;
}
template <>
constexpr DType dtype_of<BFloat16>() noexcept {
  return DType::kBFloat16;
}

// Sizes of the dimensions, outermost first; a scalar has none.
using Shape = std::vector<std::int64_t>;

// Product of the sizes; 1 for a scalar. Throws: Error kInvalidArgument for a negative size or a product over
// 2^63−1.
[[nodiscard]] FERMATA_API std::int64_t num_elements(std::span<const std::int64_t> shape);

// "[64,10]"; "[]" for a scalar; "?" for −1.
[[nodiscard]] FERMATA_API std::string shape_text(std::span<const std::int64_t> shape);

// One element of a string tensor: bytes that belong to somebody else.
struct StringRef {
  const char* data = nullptr;
  std::uint64_t size = 0;
};

class Tensor;

// A value that belongs to somebody else: cheap to copy, valid as long as its source says. Elements lie in
// row-major order without gaps. A view without a value (the result of an operation) has dtype kInvalid.
class FERMATA_API TensorView {
 public:
  TensorView() = default;
  // `data` points at num_elements(shape) elements; for strings, at as many StringRef. `shape` must outlive
  // the view.
  TensorView(DType dtype, std::span<const std::int64_t> shape, const void* data) noexcept;

  [[nodiscard]] bool has_value() const noexcept { return dtype_ != DType::kInvalid; }
  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  [[nodiscard]] std::span<const std::int64_t> shape() const noexcept { return {dims_, rank_}; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] const void* data() const noexcept { return data_; }
  // Bytes of plain data; 0 for strings.
  [[nodiscard]] std::size_t byte_size() const noexcept;

  // The elements. Throws: Error kInvalidArgument if T is not the element type.
  template <typename T>
  [[nodiscard]] std::span<const T> values() const {
    require(dtype_of<T>());
    return {static_cast<const T*>(data_), static_cast<std::size_t>(size_)};
  }

  // The only element. Throws: Error kInvalidArgument if T is not the element type or there is not exactly one
  // element.
  template <typename T>
  [[nodiscard]] T scalar() const {
    require_one(dtype_of<T>());
    return *static_cast<const T*>(data_);
  }

  // Element `index` of a string tensor, valid as long as the view. Throws: Error kInvalidArgument.
  [[nodiscard]] std::string_view string(std::int64_t index = 0) const;

  // Element `index` of a real number or bool as double. Throws: Error kInvalidArgument for other types.
  [[nodiscard]] double as_double(std::int64_t index = 0) const;

  // A Tensor with these values in memory of its own.
  [[nodiscard]] Tensor copy() const;

 private:
  void require(DType dtype) const {
    if (dtype_ != dtype) {
      refuse(dtype);
    }
  }
  void require_one(DType dtype) const {
    if (dtype_ != dtype || size_ != 1) {
      refuse(dtype);
    }
  }
  // Throws what the checks above found.
  [[noreturn]] void refuse(DType dtype) const;

  DType dtype_ = DType::kInvalid;
  const std::int64_t* dims_ = nullptr;
  std::size_t rank_ = 0;
  std::int64_t size_ = 0;
  const void* data_ = nullptr;
};

// A value with shared ownership: copies share the memory, which nobody changes any more. Plain data made here
// is aligned to 64 bytes, which lets TensorFlow take a feed without a copy. Threads: different copies may be
// used from different threads.
class FERMATA_API Tensor {
 public:
  Tensor() noexcept;
  ~Tensor();
  Tensor(const Tensor&) noexcept;
  Tensor& operator=(const Tensor&) noexcept;
  Tensor(Tensor&&) noexcept;
  Tensor& operator=(Tensor&&) noexcept;

  // Copies `values` in row-major order. Throws: Error kInvalidArgument if their number does not fit the
  // shape.
  template <typename T>
  [[nodiscard]] static Tensor of(Shape shape, std::span<const T> values) {
    return from_bytes(dtype_of<T>(), std::move(shape), values.data(), values.size_bytes());
  }
  template <typename T>
  [[nodiscard]] static Tensor of(Shape shape, std::initializer_list<T> values) {
    return from_bytes(dtype_of<T>(), std::move(shape), values.begin(), values.size() * sizeof(T));
  }
  template <typename T>
  [[nodiscard]] static Tensor scalar(T value) {
    return from_bytes(dtype_of<T>(), {}, &value, sizeof(T));
  }
  [[nodiscard]] static Tensor string_scalar(std::string value);
  [[nodiscard]] static Tensor strings(Shape shape, std::vector<std::string> values);

  // Copies plain data. Throws: Error kInvalidArgument if the size does not fit, or for a type without plain
  // data.
  [[nodiscard]] static Tensor from_bytes(DType dtype, Shape shape, const void* data, std::size_t size_bytes);

  // Makes a tensor and lets `fill` write its plain data once (aligned to 64 bytes, not cleared).
  [[nodiscard]] static Tensor build(DType dtype, Shape shape, const std::function<void(void* data)>& fill);

  // Takes over memory of the caller without a copy; `release` is called once, from any thread, when the last
  // copy is gone.
  [[nodiscard]] static Tensor adopt(DType dtype, Shape shape, const void* data,
                                    std::function<void()> release);

  [[nodiscard]] bool has_value() const noexcept { return buffer_ != nullptr; }
  [[nodiscard]] const TensorView& view() const noexcept;
  [[nodiscard]] DType dtype() const noexcept { return view().dtype(); }
  [[nodiscard]] std::span<const std::int64_t> shape() const noexcept { return view().shape(); }
  [[nodiscard]] std::int64_t size() const noexcept { return view().size(); }

  // True if both share one memory (not: equal values).
  [[nodiscard]] bool same_memory(const Tensor& other) const noexcept { return buffer_ == other.buffer_; }

 private:
  struct Buffer;
  explicit Tensor(std::shared_ptr<const Buffer> buffer) noexcept;
  std::shared_ptr<const Buffer> buffer_;
};

// True if dtype, shape and all bytes are equal (NaN equals the NaN with the same bits).
[[nodiscard]] FERMATA_API bool identical(const TensorView& a, const TensorView& b) noexcept;

// "0.25", "[1 2 3]", "true", "text": up to `max_elements` elements, floats in shortest form that reads back
// the same.
[[nodiscard]] FERMATA_API std::string to_text(const TensorView& value, std::int64_t max_elements = 8);

}  // namespace fermata
