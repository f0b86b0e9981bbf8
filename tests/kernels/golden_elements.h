// SPDX-License-Identifier: Apache-2.0
// Reads and writes elements of any dtype without the kernels' own conversions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/tenon.hpp"

namespace tenon::tests {

struct Number {
  double real = 0;
  double imag = 0;
  int64_t integer = 0;  // exact, for integers
};

// Parses a number of the golden files: "1.5", "nan", or "re,im".
Number parse_number(const std::string& text, Dtype dtype);

// Writes the element nearest to the number.
void write_element(char* at, Dtype dtype, const std::string& text);
Number read_element(const char* at, Dtype dtype);

// Calls `visit(address)` for each element in row-major order.
template <class Visit>
void each(const tenon_tensor_info& info, Visit&& visit) {
  if (info.numel == 0) return;
  std::vector<int64_t> index(static_cast<size_t>(info.ndim), 0);
  const char* at = static_cast<const char*>(info.data);
  const int64_t size = tenon_dtype_size(info.dtype);
  for (;;) {
    visit(at);
    int32_t d = info.ndim - 1;
    for (; d >= 0; --d) {
      const auto i = static_cast<size_t>(d);
      if (++index[i] < info.sizes[d]) {
        at += info.strides[d] * size;
        break;
      }
      at -= info.strides[d] * size * (info.sizes[d] - 1);
      index[i] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace tenon::tests
