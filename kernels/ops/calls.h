// SPDX-License-Identifier: Apache-2.0
// Calls of operators that many composites make.
#pragma once

#include "kernels/common/check.h"

namespace tenon::kernels {

Tensor call_reshape(const Tensor& self, Sizes sizes);
Tensor call_expand(const Tensor& self, Sizes sizes);
Tensor call_unsqueeze(const Tensor& self, int64_t dim);
Tensor call_slice(const Tensor& self, int64_t dim, int64_t start, int64_t end);
Tensor call_clone(const Tensor& self, MemoryFormat format);
Tensor call_index(const Tensor& self, TensorList indices);
Tensor call_index_put(const Tensor& self, TensorList indices, const Tensor& values,
                      bool accumulate);
void call_index_put_(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate);

}  // namespace tenon::kernels
