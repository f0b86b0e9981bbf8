// SPDX-License-Identifier: Apache-2.0
// Calls of operators that many composites make.
#pragma once

#include "kernels/common/shape.h"

namespace tenon::kernels {

// Returns the metadata that contains no sizes: dtype, device, flags. The sizes may be symbols.
tenon_tensor_info kind_of(const Tensor& tensor);

// Unlike Tensor::numel(), throws for symbolic sizes, like Tensor::sizes().
inline int64_t numel_of(const Tensor& tensor) { return numel_of(tensor.sizes()); }

Tensor call_reshape(const Tensor& self, Sizes sizes);
Tensor call_expand(const Tensor& self, Sizes sizes);
Tensor call_unsqueeze(const Tensor& self, int64_t dim);
Tensor call_slice(const Tensor& self, int64_t dim, int64_t start, int64_t end);
Tensor call_clone(const Tensor& self, MemoryFormat format);
Tensor call_index(const Tensor& self, TensorList indices);
Tensor call_index_put(const Tensor& self, TensorList indices, const Tensor& values,
                      bool accumulate);
void call_index_put_(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate);
Tensor call_scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
Tensor call_scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);

}  // namespace tenon::kernels
