// SPDX-License-Identifier: Apache-2.0
// Accumulation: what a leaf does with a gradient that arrives.
#pragma once

#include "autograd/node/node.h"

namespace tenon::autograd {

/// Adds a gradient to the one that a leaf has. Without one it becomes the leaf's: taken over where
/// nobody else holds it, copied else. Adds in place, so that the leaf's stays the same tensor, but
/// for a pass that is recorded itself. Many threads may add to one leaf: nothing is lost, and no
/// lock is held while operators run.
void accumulate(Node& leaf, tensor::TensorPtr grad, bool recorded);

}  // namespace tenon::autograd
