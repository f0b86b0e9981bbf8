// SPDX-License-Identifier: Apache-2.0
// Elements as bits of their size, for code that moves elements of any dtype.
#pragma once

#include <cstdint>

namespace tenon::kernels::cpu {

struct Bits128 {
  uint64_t words[2];
};

// Calls `body` with a value of an integer type that has the size of the elements.
template <class Body>
auto with_bits(int64_t element_size, Body&& body) {
  switch (element_size) {
    case 1:
      return body(uint8_t{});
    case 2:
      return body(uint16_t{});
    case 4:
      return body(uint32_t{});
    case 8:
      return body(uint64_t{});
    default:
      return body(Bits128{});
  }
}

}  // namespace tenon::kernels::cpu
