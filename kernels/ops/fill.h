// SPDX-License-Identifier: Apache-2.0
// Checks of aten::fill_ and aten::zero_.
#pragma once

#include "kernels/common/element.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// Throws when the tensor is read-only.
void check_fill_target(const char* op, const tenon_tensor_info& self);

// Throws when the number does not fit into the tensor's dtype, or the tensor is read-only.
void check_fill(const char* op, const tenon_tensor_info& self, const Scalar& value);

}  // namespace tenon::kernels
