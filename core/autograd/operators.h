// SPDX-License-Identifier: Apache-2.0
// The operators that autograd calls itself, found by name when they are first needed.
#pragma once

#include "autograd/node/node.h"
#include "tensor/tensor.h"

namespace tenon::autograd::operators {

using tensor::Tensor;
using tensor::TensorPtr;

// All throw what the operator raised.
TensorPtr add(const Tensor& a, const Tensor& b);
/// a += b, outside of any graph.
void add_in_place(Tensor& a, const Tensor& b);
TensorPtr clone(const Tensor& tensor);
/// Of the same sizes, dtype and device.
TensorPtr ones_like(const Tensor& tensor);
TensorPtr zeros_like(const Tensor& tensor);
TensorPtr zeros_for(const OutputInfo& info);
/// Summed over the dims that broadcasting `sizes` to the tensor's has made or widened. Throws
/// TENON_ERROR_INVALID_ARGUMENT where sizes are no such.
TensorPtr sum_to(const Tensor& tensor, tensor::Dims sizes);
/// Whether an element is NaN.
bool has_nan(const Tensor& tensor);
TensorPtr cast(const Tensor& tensor, tenon_dtype dtype);
/// Of sizes that the tensor's broadcast to.
TensorPtr expand(const Tensor& tensor, tensor::Dims sizes);
/// Another view of all of it, recorded where the tensor is tracked.
TensorPtr alias(const Tensor& tensor);

/// Views of a complex tensor as pairs of real numbers, in a last dim, and back.
TensorPtr view_as_real(const Tensor& tensor);
TensorPtr view_as_complex(const Tensor& tensor);

/// A view of a tensor that is laid out from its first element on.
TensorPtr as_strided(const Tensor& tensor, tensor::Dims sizes, tensor::Dims strides,
                     int64_t offset);
/// A copy that is laid out so, of the same sizes.
TensorPtr copy_as(const Tensor& tensor, tensor::Dims sizes, tensor::Dims strides);
/// Of the tensor's sizes, strides, dtype and device.
TensorPtr zeros_as(const Tensor& tensor);
void copy_into(Tensor& tensor, const Tensor& source);
void zero(Tensor& tensor);
/// All elements become one number.
void fill(Tensor& tensor, const tenon_value& number);
/// Of tenon::strided_scatter; `places` are its six other arguments.
TensorPtr strided_scatter(const Tensor& grad, const tenon_value* places);

/// The same elements, untracked: no operator is called where the tensor has memory, or is of a
/// layer of grad or jvp, below which its gradients flow on.
TensorPtr detached_alias(const Tensor& tensor);

}  // namespace tenon::autograd::operators
