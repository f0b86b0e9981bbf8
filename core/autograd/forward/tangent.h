// SPDX-License-Identifier: Apache-2.0
// Tangents: the derivatives of tensors along the direction that a dual level follows.
//
// A tensor's tangent has its sizes, strides and dtype, so that a view of the tensor has the same
// view of the tangent, on the tangent's memory. A plain tensor that was written with tangents
// through one of its views has zeros elsewhere, and all its views see the part that is theirs.
#pragma once

#include "autograd/forward/dual_level.h"
#include "tensor/tensor.h"

namespace tenon::autograd {

/// A tensor's tangent at a level, or at the calling thread's; empty without.
tensor::TensorPtr tangent_of(const tensor::Tensor& tensor, DualLevel& level);
tensor::TensorPtr tangent_of(const tensor::Tensor& tensor);

/// What a formula gives as a tangent, as `tensor` wants it: its dtype, and sizes that it was
/// broadcast to.
tensor::TensorPtr fit_tangent(tensor::TensorPtr tangent, const tensor::Tensor& tensor);

/// Gives an alias of a tensor the tensor's tangent, where it has one.
void carry_tangent(const tensor::Tensor& tensor, tensor::Tensor& alias);

/// Gives a new tensor its tangent, which fits; one that others hold or that lies in memory in
/// another way is copied.
void give_tangent(DualLevel& level, tensor::Tensor& tensor, tensor::TensorPtr tangent);
/// The same with the tangent as it is, on memory that others see.
void share_tangent(DualLevel& level, tensor::Tensor& tensor, tensor::TensorPtr tangent);
/// Writes the tangent of a tensor that was written: in the place of the one that it has, which its
/// views share, or where it has none into a new one. NULL stands for zeros.
void write_tangent(DualLevel& level, tensor::Tensor& tensor, const tensor::Tensor* tangent);

/// The part of a tangent that is of a view on the memory of `of`, whose tangent it is.
tensor::TensorPtr tangent_of_view(const tensor::Tensor& tangent, const tensor::Tensor& of,
                                  const tensor::Tensor& view);
/// A copy of a tangent that lies in memory as its tensor does, where that is possible.
tensor::TensorPtr laid_out_as(const tensor::Tensor& tangent, const tensor::Tensor& tensor);
/// Whether a tangent lies in memory as its tensor does.
bool is_laid_out_as(const tensor::Tensor& tangent, const tensor::Tensor& tensor) noexcept;

/// See tenon_dual_make and tenon_dual_unpack. The calling thread has a level, tensors are defined.
tensor::TensorPtr make_dual(tensor::Tensor& primal, tensor::Tensor& tangent);
tensor::TensorPtr primal_of(tensor::Tensor& dual);

}  // namespace tenon::autograd
