#include "fermata/tensor.h"

#include <fmt/format.h>

#include <cstring>
#include <new>
#include <utility>

#include "core/half.h"
#include "fermata/error.h"

namespace fermata {
namespace {

// TensorFlow takes a fed value without a copy only if it is aligned like this.
constexpr std::align_val_t kAlignment{64};

std::size_t plain_bytes(DType dtype, std::int64_t count) {
  const std::size_t element = dtype_size(dtype);
  if (element == 0) {
    throw Error(Code::kInvalidArgument, fmt::format("a tensor of {} has no plain data", dtype_name(dtype)));
  }
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::size_t>(count), element, &bytes)) {
    throw Error(Code::kInvalidArgument,
                fmt::format("{} elements of {} do not fit in memory", count, dtype_name(dtype)));
  }
  return bytes;
}

}  // namespace

TensorView::TensorView(DType dtype, std::span<const std::int64_t> shape, const void* data) noexcept
    : dtype_(dtype), dims_(shape.data()), rank_(shape.size()), size_(1), data_(data) {
  for (const std::int64_t dim : shape) {
    size_ *= dim;
  }
}

std::size_t TensorView::byte_size() const noexcept {
  return static_cast<std::size_t>(size_) * dtype_size(dtype_);
}

void TensorView::refuse(DType dtype) const {
  if (dtype_ != dtype) {
    throw Error(Code::kInvalidArgument,
                fmt::format("the value is {}{}, but {} was asked for", dtype_name(dtype_),
                            shape_text(shape()), dtype_name(dtype)));
  }
  throw Error(Code::kInvalidArgument,
              fmt::format("the value has {} elements (shape {}), but a scalar was asked for", size_,
                          shape_text(shape())));
}

std::string_view TensorView::string(std::int64_t index) const {
  require(DType::kString);
  if (index < 0 || index >= size_) {
    throw Error(Code::kInvalidArgument,
                fmt::format("element {} was asked for of a value with {}", index, size_));
  }
  const StringRef& ref = static_cast<const StringRef*>(data_)[index];
  return {ref.data, static_cast<std::size_t>(ref.size)};
}

double TensorView::as_double(std::int64_t index) const {
  if (index < 0 || index >= size_) {
    throw Error(Code::kInvalidArgument,
                fmt::format("element {} was asked for of a value with {}", index, size_));
  }
  const auto at = [&]<typename T>(T /*type*/) {
    return static_cast<double>(static_cast<const T*>(data_)[index]);
  };
  switch (dtype_) {
    case DType::kFloat:
      return at(float{});
    case DType::kDouble:
      return at(double{});
    case DType::kInt8:
      return at(std::int8_t{});
    case DType::kInt16:
      return at(std::int16_t{});
    case DType::kInt32:
      return at(std::int32_t{});
    case DType::kInt64:
      return at(std::int64_t{});
    case DType::kUInt8:
      return at(std::uint8_t{});
    case DType::kUInt16:
      return at(std::uint16_t{});
    case DType::kUInt32:
      return at(std::uint32_t{});
    case DType::kUInt64:
      return at(std::uint64_t{});
    case DType::kBool:
      return at(bool{});
    case DType::kHalf:
      return half_to_float(static_cast<const Half*>(data_)[index]);
    case DType::kBFloat16:
      return bfloat16_to_float(static_cast<const BFloat16*>(data_)[index]);
    default:
      throw Error(Code::kInvalidArgument, fmt::format("a value of {} is no real number", dtype_name(dtype_)));
  }
}

Tensor TensorView::copy() const {
  Shape shape(this->shape().begin(), this->shape().end());
  if (!has_value()) {
    return {};
  }
  if (dtype_ != DType::kString) {
    return Tensor::from_bytes(dtype_, std::move(shape), data_, byte_size());
  }
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(size_));
  for (std::int64_t i = 0; i < size_; ++i) {
    texts.emplace_back(string(i));
  }
  return Tensor::strings(std::move(shape), std::move(texts));
}

struct Tensor::Buffer {
  explicit Buffer(Shape s) : shape(std::move(s)) {}
  ~Buffer() {
    if (release) {
      release();
    }
    ::operator delete(owned, kAlignment);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  Shape shape;
  TensorView view;
  void* owned = nullptr;
  std::function<void()> release;
  std::vector<std::string> texts;
  std::vector<StringRef> refs;
};

Tensor::Tensor() noexcept = default;
Tensor::~Tensor() = default;
Tensor::Tensor(const Tensor&) noexcept = default;
Tensor& Tensor::operator=(const Tensor&) noexcept = default;
Tensor::Tensor(Tensor&&) noexcept = default;
Tensor& Tensor::operator=(Tensor&&) noexcept = default;
Tensor::Tensor(std::shared_ptr<const Buffer> buffer) noexcept : buffer_(std::move(buffer)) {}

const TensorView& Tensor::view() const noexcept {
  static const TensorView kNothing;
  return buffer_ ? buffer_->view : kNothing;
}

Tensor Tensor::build(DType dtype, Shape shape, const std::function<void(void*)>& fill) {
  const std::size_t bytes = plain_bytes(dtype, num_elements(shape));
  const auto buffer = std::make_shared<Buffer>(std::move(shape));
  // An empty tensor has memory too, so that its address is not null.
  buffer->owned = ::operator new(bytes == 0 ? 1 : bytes, kAlignment);
  fill(buffer->owned);
  buffer->view = TensorView(dtype, buffer->shape, buffer->owned);
  return Tensor(buffer);
}

Tensor Tensor::from_bytes(DType dtype, Shape shape, const void* data, std::size_t size_bytes) {
  const std::size_t expected = plain_bytes(dtype, num_elements(shape));
  if (size_bytes != expected) {
    throw Error(Code::kInvalidArgument,
                fmt::format("a {} tensor of shape {} takes {} bytes, but {} were given", dtype_name(dtype),
                            shape_text(shape), expected, size_bytes));
  }
  return build(dtype, std::move(shape), [&](void* to) {
    if (size_bytes != 0) {
      std::memcpy(to, data, size_bytes);
    }
  });
}

Tensor Tensor::string_scalar(std::string value) {
  std::vector<std::string> texts;
  texts.push_back(std::move(value));
  return strings({}, std::move(texts));
}

Tensor Tensor::strings(Shape shape, std::vector<std::string> values) {
  const std::int64_t expected = num_elements(shape);
  if (static_cast<std::int64_t>(values.size()) != expected) {
    throw Error(Code::kInvalidArgument,
                fmt::format("a string tensor of shape {} takes {} strings, but {} were given",
                            shape_text(shape), expected, values.size()));
  }
  const auto buffer = std::make_shared<Buffer>(std::move(shape));
  buffer->texts = std::move(values);
  buffer->refs.reserve(buffer->texts.size());
  for (const std::string& text : buffer->texts) {
    buffer->refs.push_back({text.data(), text.size()});
  }
  buffer->view = TensorView(DType::kString, buffer->shape, buffer->refs.data());
  return Tensor(buffer);
}

Tensor Tensor::adopt(DType dtype, Shape shape, const void* data, std::function<void()> release) {
  static_cast<void>(plain_bytes(dtype, num_elements(shape)));
  const auto buffer = std::make_shared<Buffer>(std::move(shape));
  buffer->view = TensorView(dtype, buffer->shape, data);
  // Last, so that a failure above leaves the memory with the caller.
  buffer->release = std::move(release);
  return Tensor(buffer);
}

bool identical(const TensorView& a, const TensorView& b) noexcept {
  if (a.dtype() != b.dtype() || a.shape().size() != b.shape().size() ||
      !std::equal(a.shape().begin(), a.shape().end(), b.shape().begin())) {
    return false;
  }
  if (a.dtype() != DType::kString) {
    return a.byte_size() == 0 || std::memcmp(a.data(), b.data(), a.byte_size()) == 0;
  }
  for (std::int64_t i = 0; i < a.size(); ++i) {
    if (a.string(i) != b.string(i)) {
      return false;
    }
  }
  return true;
}

}  // namespace fermata
