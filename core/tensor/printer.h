// SPDX-License-Identifier: Apache-2.0
// Formats tensors as text, in PyTorch's layout.
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace tenon::tensor {

/// Formats a tensor, such as "tensor([[1., 2.],\n        [3., 4.]])". More than 1000 elements are
/// summarized by the first and last three of each dim. A device or dtype other than the default
/// follows, and the size if no element shows it. Elements on devices other than the CPU are shown
/// as "...".
std::string print_tensor(const Tensor& tensor);

}  // namespace tenon::tensor
