// For tests: writes .npy files.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace fermata::cli {

// `values` as an array of `shape`, "4, 2"; T is float or std::int32_t.
template <typename T>
std::string write_npy(const std::string& path, const std::string& shape, const std::vector<T>& values) {
  const std::string descr = sizeof(T) == 4 && T(0.5) == T(0) ? "<i4" : "<f4";
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + ",), }";
  header.resize(118, ' ');
  std::ofstream file(path, std::ios::binary);
  file << std::string("\x93NUMPY\x01\0\x76\0", 10) << header;
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
  return path;
}

// 0, 1, 2, … one a row.
inline std::string write_numbers(const std::string& path, std::int32_t rows) {
  std::vector<std::int32_t> values;
  for (std::int32_t i = 0; i < rows; ++i) {
    values.push_back(i);
  }
  return write_npy(path, std::to_string(rows), values);
}

}  // namespace fermata::cli
