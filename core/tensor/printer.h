// SPDX-License-Identifier: Apache-2.0
// Tensors as readable text, laid out as PyTorch does.
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace tenon::tensor {

/// Such as "tensor([[1., 2.],\n        [3., 4.]])". More than 1000 elements are summarised by the
/// first and last three of each dim. What is not the default (device, dtype, the size where no
/// element shows it) follows. Elements are read on the CPU only; elsewhere stands "...".
std::string print_tensor(const Tensor& tensor);

}  // namespace tenon::tensor
