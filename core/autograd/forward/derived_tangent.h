// SPDX-License-Identifier: Apache-2.0
// Tangents of a call from its gradient formula alone.
#pragma once

#include <span>
#include <vector>

#include "autograd/node/node.h"

namespace tenon::autograd {

/// The tangents of a node's outputs, from those of its inputs (NULL: zeros); NULL where they are
/// zeros. Gradients are linear in the gradient that they are given, v -> g(v) = J* v: the gradient
/// of <g(v), t> with respect to v is J t, whatever v. Throws TENON_ERROR_NOT_SUPPORTED for a
/// formula whose gradients are not recorded, and what the formula raised.
std::vector<tensor::TensorPtr> derive_tangents(Node& node, std::span<tensor::Tensor* const> inputs,
                                               std::span<const tensor::TensorPtr> tangents);

}  // namespace tenon::autograd
