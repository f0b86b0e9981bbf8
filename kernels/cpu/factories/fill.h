// SPDX-License-Identifier: Apache-2.0
// Sets the elements of a CPU tensor.
#pragma once

#include "kernels/common/maths/element.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::cpu {

// Writes the number to every element; throws when it does not fit. Overlapping elements are fine:
// all get the same.
void fill(const char* op, const tenon_tensor_info& self, const Scalar& value);

}  // namespace tenon::kernels::cpu
