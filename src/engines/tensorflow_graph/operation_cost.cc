#include "engines/tensorflow_graph/operation_cost.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fermata::tensorflow {
namespace {

constexpr double kPerFlop = 0.1;      // of products and convolutions
constexpr double kPerElement = 0.5;   // of what reads and writes each element once
constexpr double kPerFunction = 3.0;  // of exponentials, random numbers and the like
constexpr double kUnknownSize = 64;

constexpr std::array<std::string_view, 24> kFree = {"Const",
                                                    "Identity",
                                                    "IdentityN",
                                                    "NoOp",
                                                    "Placeholder",
                                                    "PlaceholderWithDefault",
                                                    "VarHandleOp",
                                                    "ReadVariableOp",
                                                    "Variable",
                                                    "VariableV2",
                                                    "Shape",
                                                    "ShapeN",
                                                    "Size",
                                                    "Rank",
                                                    "Reshape",
                                                    "ExpandDims",
                                                    "Squeeze",
                                                    "StopGradient",
                                                    "_Arg",
                                                    "PreventGradient",
                                                    "VarIsInitializedOp",
                                                    "Assert",
                                                    "BroadcastGradientArgs",
                                                    "StridedSlice"};

constexpr std::array<std::string_view, 6> kProducts = {"MatMul",        "BatchMatMul",  "BatchMatMulV2",
                                                       "BatchMatMulV3", "_FusedMatMul", "Einsum"};

// Of these, each element of a side takes part in a product with the whole other side.
constexpr std::array<std::string_view, 12> kSolvers = {"Cholesky",
                                                       "CholeskyGrad",
                                                       "MatrixInverse",
                                                       "MatrixDeterminant",
                                                       "LogMatrixDeterminant",
                                                       "MatrixSolve",
                                                       "MatrixTriangularSolve",
                                                       "Qr",
                                                       "Svd",
                                                       "SelfAdjointEigV2",
                                                       "Eig",
                                                       "Lu"};

constexpr std::array<std::string_view, 18> kFunctions = {"Exp",
                                                         "Expm1",
                                                         "Log",
                                                         "Log1p",
                                                         "Tanh",
                                                         "Sigmoid",
                                                         "Sin",
                                                         "Cos",
                                                         "Tan",
                                                         "Erf",
                                                         "Pow",
                                                         "Softmax",
                                                         "Lgamma",
                                                         "Digamma",
                                                         "LogSoftmax",
                                                         "Softplus",
                                                         "SoftmaxCrossEntropyWithLogits",
                                                         "SparseSoftmaxCrossEntropyWithLogits"};

template <std::size_t size>
bool is_one_of(std::string_view type, const std::array<std::string_view, size>& types) {
  return std::ranges::find(types, type) != types.end();
}

double size_of(std::int64_t dimension) {
  return dimension < 0 ? kUnknownSize : static_cast<double>(dimension);
}

double elements(const KnownShape& shape) {
  double product = 1;
  for (const std::int64_t dimension : shape.value_or(Shape{})) {
    product *= size_of(dimension);
  }
  return product;
}

double largest(std::span<const KnownShape> shapes) {
  double most = 0;
  for (const KnownShape& shape : shapes) {
    most = std::max(most, elements(shape));
  }
  return most;
}

double last_size(const KnownShape& shape) { return shape && !shape->empty() ? size_of(shape->back()) : 1; }

// With m rows, n columns and k between them, for each of b matrices: the sizes of both sides and the result
// are bmk, bkn and bmn, whatever is transposed.
double product_flops(std::span<const KnownShape> inputs, const KnownShape& result) {
  double batch = 1;
  for (std::size_t i = 0; result && i + 2 < result->size(); ++i) {
    batch *= size_of((*result)[i]);
  }
  const double out = std::max(elements(result), 1.0);
  const double between = std::sqrt(elements(inputs[0]) * elements(inputs[1]) / (out * std::max(batch, 1.0)));
  return 2 * out * between;
}

// `filter` is [height, width, in, out], with one size more for volumes; `image` is on the side of the
// filter's out.
double convolution_flops(const KnownShape& filter, const KnownShape& image) {
  return 2 * elements(image) * elements(filter) / std::max(last_size(filter), 1.0);
}

bool is_convolution(std::string_view type) {
  return type.starts_with("Conv2D") || type.starts_with("Conv3D") || type.starts_with("DepthwiseConv2d") ||
         type.starts_with("_FusedConv2D");
}

double convolution_cost(std::string_view type, std::span<const KnownShape> inputs, const KnownShape& output) {
  if (type.find("BackpropFilter") != std::string_view::npos && inputs.size() > 2) {
    return convolution_flops(output, inputs[2]);
  }
  if (type.find("Backprop") != std::string_view::npos && inputs.size() > 2) {
    return convolution_flops(inputs[1], inputs[2]);
  }
  return convolution_flops(inputs[1], output);
}

bool computes_functions(std::string_view type) {
  return is_one_of(type, kFunctions) || type.find("Random") != std::string_view::npos ||
         type.find("Normal") != std::string_view::npos;
}

}  // namespace

double operation_cost(std::string_view type, std::span<const KnownShape> inputs,
                      std::span<const KnownShape> outputs) {
  if (is_one_of(type, kFree)) {
    return 0;
  }
  if (inputs.size() >= 2 && !outputs.empty()) {
    if (is_one_of(type, kProducts)) {
      return kPerFlop * product_flops(inputs, outputs[0]);
    }
    if (is_convolution(type)) {
      return kPerFlop * convolution_cost(type, inputs, outputs[0]);
    }
  }
  const double most = std::max(largest(inputs), largest(outputs));
  if (is_one_of(type, kSolvers) && !inputs.empty()) {
    return most * last_size(inputs[0]);
  }
  return most * (computes_functions(type) ? kPerFunction : kPerElement);
}

}  // namespace fermata::tensorflow
