// SPDX-License-Identifier: Apache-2.0
// Plans of aten::sum and aten::mean.
#pragma once

#include "kernels/common/reduction.h"

namespace tenon::kernels {

// The dtype of a sum: the given one, int64 for bool and integers, else the input's.
Dtype sum_dtype(Dtype self, std::optional<Dtype> dtype);

// The dtype of a mean: the given one or the input's, which must be floating or complex.
Dtype mean_dtype(const char* op, Dtype self, std::optional<Dtype> dtype);

}  // namespace tenon::kernels
