// SPDX-License-Identifier: Apache-2.0
// Tangents of a call derived from its gradient formula.
#pragma once

#include <span>
#include <vector>

#include "autograd/node/node.h"

namespace tenon::autograd {

/// Returns the tangents of a node's outputs, given those of its inputs. NULL means zeros, in both.
/// Uses the double-backward trick: the gradient g(v) = J* v is linear in v, so the gradient of
/// <g(v), t> with respect to v is J t for any v. Throws TENON_ERROR_NOT_SUPPORTED if the formula's
/// gradients are not recorded, and the errors of the formula.
std::vector<tensor::TensorPtr> derive_tangents(Node& node, std::span<tensor::Tensor* const> inputs,
                                               std::span<const tensor::TensorPtr> tangents);

}  // namespace tenon::autograd
