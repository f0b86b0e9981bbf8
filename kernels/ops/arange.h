// SPDX-License-Identifier: Apache-2.0
// The length and output of aten::arange.
#pragma once

#include "kernels/common/element.h"

namespace tenon::kernels {

// ceil((end - start) / step) for elements of `dtype`; refuses steps of 0 or of the wrong sign.
int64_t arange_length(const char* op, const Scalar& start, const Scalar& end, const Scalar& step,
                      Dtype dtype);

// Refuses an `out` that cannot be written; gives one with another number of elements one dim.
void check_arange_out(const Tensor& out, int64_t length);

}  // namespace tenon::kernels
