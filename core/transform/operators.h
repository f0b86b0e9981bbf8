// SPDX-License-Identifier: Apache-2.0
// The operators that vmap itself calls, looked up by name on first use.
#pragma once

#include <span>

#include "tensor/tensor.h"

namespace tenon::transform::operators {

// All functions throw the errors of the operator.
tensor::TensorPtr select(const tensor::Tensor& tensor, int64_t dim, int64_t index);
tensor::TensorPtr stack(std::span<const tensor::TensorPtr> tensors);
/// Returns a view with dim `from` moved to `to`; the remaining dims keep their order.
tensor::TensorPtr move_dim(const tensor::Tensor& tensor, int64_t from, int64_t to);
/// Returns a view of the tensor repeated `size` times along a new dim `dim`.
tensor::TensorPtr repeat_along(const tensor::Tensor& tensor, int64_t dim, int64_t size);
/// Returns `size` elements of a dim, starting at `start`.
tensor::TensorPtr narrow(const tensor::Tensor& tensor, int64_t dim, int64_t start, int64_t size);
tensor::TensorPtr cat(std::span<const tensor::TensorPtr> tensors, int64_t dim);
tensor::TensorPtr zeros(tensor::Dims sizes, tenon_dtype dtype, const tenon_device& device);
tensor::TensorPtr zeros_like(const tensor::Tensor& tensor);
void copy_into(tensor::Tensor& tensor, const tensor::Tensor& source);

}  // namespace tenon::transform::operators
