// SPDX-License-Identifier: Apache-2.0
// The operators that autograd itself calls, looked up by name on first use.
#pragma once

#include "autograd/node/node.h"
#include "tensor/tensor.h"

namespace tenon::autograd::operators {

using tensor::Tensor;
using tensor::TensorPtr;

// All functions throw the errors of the operator.
TensorPtr add(const Tensor& a, const Tensor& b);
/// Computes a += b without recording it.
void add_in_place(Tensor& a, const Tensor& b);
TensorPtr clone(const Tensor& tensor);
/// Returns a tensor with the sizes, dtype and device of `tensor`.
TensorPtr ones_like(const Tensor& tensor);
TensorPtr zeros_like(const Tensor& tensor);
TensorPtr zeros_for(const OutputInfo& info);
/// Sums over the dims that broadcasting `sizes` to the tensor's sizes would add or expand. Throws
/// TENON_ERROR_INVALID_ARGUMENT if `sizes` does not broadcast to them.
TensorPtr sum_to(const Tensor& tensor, tensor::Dims sizes);
/// Returns true if an element is NaN.
bool has_nan(const Tensor& tensor);
TensorPtr cast(const Tensor& tensor, tenon_dtype dtype);
/// Broadcasts the tensor to `sizes`.
TensorPtr expand(const Tensor& tensor, tensor::Dims sizes);
/// Returns a view of the whole tensor; recorded if the tensor is tracked.
TensorPtr alias(const Tensor& tensor);

/// View a complex tensor as pairs of real numbers in a trailing dim, and back.
TensorPtr view_as_real(const Tensor& tensor);
TensorPtr view_as_complex(const Tensor& tensor);

/// Returns a view that starts at the tensor's first element.
TensorPtr as_strided(const Tensor& tensor, tensor::Dims sizes, tensor::Dims strides,
                     int64_t offset);
/// Returns a copy of the same sizes with the given strides.
TensorPtr copy_as(const Tensor& tensor, tensor::Dims sizes, tensor::Dims strides);
/// Returns zeros with the sizes, strides, dtype and device of `tensor`.
TensorPtr zeros_as(const Tensor& tensor);
void copy_into(Tensor& tensor, const Tensor& source);
void zero(Tensor& tensor);
/// Sets all elements to one number.
void fill(Tensor& tensor, const tenon_value& number);
/// Calls tenon::strided_scatter; `places` are its other six arguments: the sizes, strides and
/// offset of the view, then those of its base.
TensorPtr strided_scatter(const Tensor& grad, const tenon_value* places);

/// Returns an untracked tensor with the same elements. Calls no operator if the tensor has memory,
/// or belongs to a grad or jvp layer, below which gradients still flow through the alias.
TensorPtr detached_alias(const Tensor& tensor);

}  // namespace tenon::autograd::operators
