// SPDX-License-Identifier: Apache-2.0
// Sets the elements of a CPU tensor.
#pragma once

#include "kernels/common/maths/element.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::cpu {

// Writes the number to each element. Throws if it does not fit. Elements may overlap, since all get
// the same value.
void fill(const char* op, const tenon_tensor_info& self, const Scalar& value);

}  // namespace tenon::kernels::cpu
