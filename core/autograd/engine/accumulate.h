// SPDX-License-Identifier: Apache-2.0
// Accumulation: adding an incoming gradient to a leaf's grad.
#pragma once

#include "autograd/node/node.h"

namespace tenon::autograd {

/// Adds a gradient to the leaf's grad. If the leaf has no grad yet, this gradient becomes it:
/// without a copy if nothing else refers to its memory and its strides suit the leaf, otherwise as
/// a clone. An existing grad is added to in place, so it stays the same tensor, except in a pass
/// that is itself recorded. Safe to call concurrently for one leaf, see the Note in accumulate.cpp.
void accumulate(Node& leaf, tensor::TensorPtr grad, bool recorded);

}  // namespace tenon::autograd
