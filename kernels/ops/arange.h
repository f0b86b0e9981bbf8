// SPDX-License-Identifier: Apache-2.0
// The length of aten::arange.
#pragma once

#include "kernels/common/element.h"

namespace tenon::kernels {

// ceil((end - start) / step) for elements of `dtype`; refuses steps of 0 or of the wrong sign.
int64_t arange_length(const char* op, const Scalar& start, const Scalar& end, const Scalar& step,
                      Dtype dtype);

}  // namespace tenon::kernels
