#include "engines/tensorflow/dtype_names.h"

#include <array>
#include <cstddef>

#include "tensorflow/c/tf_datatype.h"

namespace fermata::tensorflow_plugin {
namespace {

// By number.
constexpr std::array<const char*, 34> kNames = {"invalid",
                                                "float32",
                                                "float64",
                                                "int32",
                                                "uint8",
                                                "int16",
                                                "int8",
                                                "string",
                                                "complex64",
                                                "int64",
                                                "bool",
                                                "qint8",
                                                "quint8",
                                                "qint32",
                                                "bfloat16",
                                                "qint16",
                                                "quint16",
                                                "uint16",
                                                "complex128",
                                                "float16",
                                                "resource",
                                                "variant",
                                                "uint32",
                                                "uint64",
                                                "float8_e5m2",
                                                "float8_e4m3fn",
                                                "float8_e4m3fnuz",
                                                "float8_e4m3b11fnuz",
                                                "float8_e5m2fnuz",
                                                "int4",
                                                "uint4",
                                                "int2",
                                                "uint2",
                                                "float4_e2m1fn"};

}  // namespace

std::string dtype_name(int dtype) {
  if (is_reference(dtype)) return dtype_name(without_reference(dtype)) + " reference";
  const auto number = static_cast<std::size_t>(dtype);
  return number < kNames.size() ? kNames[number] : "dtype " + std::to_string(dtype);
}

bool has_value(int dtype) noexcept {
  return dtype == TF_STRING || (dtype > 0 && TF_DataTypeSize(static_cast<TF_DataType>(dtype)) > 0);
}

}  // namespace fermata::tensorflow_plugin
