// SPDX-License-Identifier: Apache-2.0
// Nodes of views: of one whose base was written, and of a write through one.
#pragma once

#include "autograd/node/node.h"

namespace tenon::autograd {

/// Throws TENON_ERROR_NOT_SUPPORTED where no gradient can flow between a view and its base: they
/// are of other dtypes, and neither has the real parts of the other's complex numbers.
void check_view_dtypes(const tensor::Tensor& view, const tensor::Tensor& base);

/// A node for a view, which leads to what its base is now: backward puts the view's gradient where
/// its elements lie in the base, summed where they lie at one place. Throws as check_view_dtypes.
NodePtr make_view_node(tensor::Tensor& view, tensor::Tensor& base);

/// A node for a base that was written through a view, by a call recorded as `inner`: backward runs
/// that with the view's part of the gradient, and puts what it gives for edge `self` (-1: none) in
/// place of that part; all else goes on to what the base was before. Throws as
/// check_view_dtypes.
NodePtr make_write_node(Node& inner, uint32_t output, int self, tensor::Tensor& view,
                        tensor::Tensor& base);

}  // namespace tenon::autograd
