// SPDX-License-Identifier: Apache-2.0
// Tangents: the derivatives of tensors along the direction of a dual level.
//
// A tensor's tangent has the tensor's sizes, strides and dtype, so a view of the tensor corresponds
// to the same view of the tangent's memory. If a tensor without a tangent is written through a view
// with one, the whole tensor gets a tangent that is zero elsewhere, and all its views see their
// part of it.
#pragma once

#include "autograd/forward/dual_level.h"
#include "tensor/tensor.h"

namespace tenon::autograd {

/// Returns a tensor's tangent at a level, by default the calling thread's; NULL if it has none.
tensor::TensorPtr tangent_of(const tensor::Tensor& tensor, DualLevel& level);
tensor::TensorPtr tangent_of(const tensor::Tensor& tensor);

/// Converts the tangent that a formula returned to the dtype of `tensor`, and expands it to the
/// tensor's sizes.
tensor::TensorPtr fit_tangent(tensor::TensorPtr tangent, const tensor::Tensor& tensor);

/// Gives an alias the tangent of the tensor that it aliases, if there is one.
void carry_tangent(const tensor::Tensor& tensor, tensor::Tensor& alias);

/// Sets the tangent of a new tensor. The sizes must match. Copies the tangent if it is shared or
/// has other strides than the tensor.
void give_tangent(DualLevel& level, tensor::Tensor& tensor, tensor::TensorPtr tangent);
/// Like give_tangent(), but stores the tangent itself, even if its memory is shared.
void share_tangent(DualLevel& level, tensor::Tensor& tensor, tensor::TensorPtr tangent);
/// Sets the tangent of a tensor that was written. Overwrites an existing tangent in place, because
/// views share it, and otherwise makes a new one. NULL means zeros.
void write_tangent(DualLevel& level, tensor::Tensor& tensor, const tensor::Tensor* tangent);

/// Returns the view of `tangent` that corresponds to `view`, where `tangent` is the tangent of
/// `of`.
tensor::TensorPtr tangent_of_view(const tensor::Tensor& tangent, const tensor::Tensor& of,
                                  const tensor::Tensor& view);
/// Returns a copy of a tangent with the strides of its tensor, if such a copy is possible.
tensor::TensorPtr laid_out_as(const tensor::Tensor& tangent, const tensor::Tensor& tensor);
/// Returns true if a tangent has the strides of its tensor.
bool is_laid_out_as(const tensor::Tensor& tangent, const tensor::Tensor& tensor) noexcept;

/// See tenon_dual_make and tenon_dual_unpack. Requires an open level and defined tensors.
tensor::TensorPtr make_dual(tensor::Tensor& primal, tensor::Tensor& tangent);
tensor::TensorPtr primal_of(tensor::Tensor& dual);

}  // namespace tenon::autograd
