// SPDX-License-Identifier: Apache-2.0
// The table of the operators of kernels/ops/ops.list. CMake generates its source from that list.
#pragma once

#include <span>

#include "kernels/common/facts.h"

namespace tenon::kernels {

struct Operator {
  const char* ns;
  const Facts* facts;
  // A device's kernel, of the family's type; NULL in the table of all operators.
  const void* kernel;
  int64_t quick_numel =
      0;  // largest number of elements for which the kernel does not block; 0: device's limit
};

// Returns all operators, without a device.
std::span<const Operator> operators();

}  // namespace tenon::kernels
