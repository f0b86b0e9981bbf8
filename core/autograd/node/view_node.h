// SPDX-License-Identifier: Apache-2.0
// Nodes of views: of a view whose base was written, and of a base that was written through a view.
#pragma once

#include "autograd/node/node.h"

namespace tenon::autograd {

/// Throws TENON_ERROR_NOT_SUPPORTED if no gradient can flow between a view and its base: their
/// dtypes differ, and neither holds the real parts of the other's complex numbers.
void check_view_dtypes(const tensor::Tensor& view, const tensor::Tensor& base);

/// Makes a node for a view, as a child of its base's current node. Backward scatters the view's
/// gradient into the base's layout, adding up elements that overlap. Throws like
/// check_view_dtypes().
NodePtr make_view_node(tensor::Tensor& view, tensor::Tensor& base);

/// Makes a node for a base that was written through a view by a call recorded as `inner`. Backward
/// runs `inner` on the view's part of the gradient, replaces that part by the gradient for edge
/// `self` (zeros if -1), and passes the result on to the base's previous node. Throws like
/// check_view_dtypes().
NodePtr make_write_node(Node& inner, uint32_t output, int self, tensor::Tensor& view,
                        tensor::Tensor& base);

}  // namespace tenon::autograd
