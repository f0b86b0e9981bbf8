// SPDX-License-Identifier: Apache-2.0
// From tensors to what launchers take: strided operands, numbers, temporaries on the device.
#pragma once

#include <initializer_list>

#include "kernels/common/walk.h"
#include "kernels/cuda/launch.h"
#include "tenon/tenon.hpp"

namespace tenon::kernels::cuda {

// A common walk as launchers take it.
Strided strided(const Walk& walk, int operands);

// Tensors of one shape (strides of stretched dims 0, given for each tensor in elements).
struct Operand {
  void* data;
  Dtype dtype;
  Sizes strides;
};
Strided strided(Sizes sizes, std::initializer_list<Operand> operands);

Number number_of(const Scalar& scalar);

// Copies `source` into `target`, both on one CUDA device and of the same sizes; dtypes may differ.
void copy_on_device(const Tensor& target, const Tensor& source);

// A tensor with the same elements on `device`, of `dtype` and with these strides; `source` may be
// on the CPU or on a CUDA device.
Tensor to_device(const Tensor& source, const Device& device, Dtype dtype, Sizes strides);

}  // namespace tenon::kernels::cuda
