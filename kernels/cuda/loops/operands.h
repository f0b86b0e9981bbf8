// SPDX-License-Identifier: Apache-2.0
// Conversion of tensors to launch parameters: strided operands, single elements, and temporaries on
// the device.
#pragma once

#include "kernels/common/walk.h"
#include "kernels/cuda/loops/launch.h"
#include "tenon/tenon.hpp"

namespace tenon::kernels::cuda {

// Returns a Walk in the form that launchers take.
Strided strided(const Walk& walk, int operands);

// Returns the operands of a copy from `source`, which broadcasts to `target`.
Strided strided_pair(const tenon_tensor_info& target, const tenon_tensor_info& source);

// Makes operand k of a walk the single element of a CPU tensor, converted to `dtype` or, with
// `keeps_digits`, only to the type that `dtype` is computed in.
void take_element(Strided& walk, int k, const Tensor& source, Dtype dtype, bool keeps_digits);

// Returns true if a tensor can be passed to launches as a single element.
bool is_element(const tenon_tensor_info& info);

// Writes one number to all elements of a tensor on a CUDA device.
void fill_on_device(const char* op, const tenon_tensor_info& target, const Scalar& value);

// Copies `source`, which broadcasts and may have another dtype, to `target` on the same device.
void copy_on_device(const char* op, const tenon_tensor_info& target,
                    const tenon_tensor_info& source);

// Returns a tensor with the elements of `source` on `device`, with this dtype and these strides.
// `source` may be on the CPU or on a CUDA device.
Tensor to_device(const Tensor& source, const Device& device, Dtype dtype, Sizes strides);

}  // namespace tenon::kernels::cuda
