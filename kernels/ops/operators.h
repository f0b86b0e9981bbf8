// SPDX-License-Identifier: Apache-2.0
// The operators of kernels/ops/ops.list, as a table. CMake writes its source from that list.
#pragma once

#include <span>

#include "kernels/common/facts.h"

namespace tenon::kernels {

struct Operator {
  const char* ns;
  const Facts* facts;
  const void* kernel;  // a device's, of the family's type; NULL in the table of all operators
  int64_t quick_numel =
      0;  // the kernel is quick up to so many elements; 0: up to the device's limit
};

// All of them, without a device.
std::span<const Operator> operators();

}  // namespace tenon::kernels
