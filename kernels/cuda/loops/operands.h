// SPDX-License-Identifier: Apache-2.0
// From tensors to what launchers take: strided operands, elements that a launch takes along,
// temporaries on the device.
#pragma once

#include "kernels/common/walk.h"
#include "kernels/cuda/loops/launch.h"
#include "tenon/tenon.hpp"

namespace tenon::kernels::cuda {

// A common walk as launchers take it.
Strided strided(const Walk& walk, int operands);

// A target and a source of its sizes, or that broadcasts to them.
Strided strided_pair(const tenon_tensor_info& target, const tenon_tensor_info& source);

// Makes operand k of a walk the one element of a CPU tensor, as `dtype`, or as what that is
// computed in, with its digits or without.
void take_element(Strided& walk, int k, const Tensor& source, Dtype dtype, bool keeps_digits);

// Whether launches can take the element of a tensor along.
bool is_element(const tenon_tensor_info& info);

// Writes one number to all elements of a tensor on a CUDA device.
void fill_on_device(const char* op, const tenon_tensor_info& target, const Scalar& value);

// Copies `source` into `target`, both on one CUDA device; it broadcasts, and dtypes may differ.
void copy_on_device(const char* op, const tenon_tensor_info& target,
                    const tenon_tensor_info& source);

// A tensor with the same elements on `device`, of `dtype` and with these strides; `source` may be
// on the CPU or on a CUDA device.
Tensor to_device(const Tensor& source, const Device& device, Dtype dtype, Sizes strides);

}  // namespace tenon::kernels::cuda
