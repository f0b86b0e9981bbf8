// SPDX-License-Identifier: Apache-2.0
// Casts of a call's arguments, used by cast rules and handwritten kernels.
#pragma once

#include <span>

#include "autocast/state.h"
#include "tenon/value.h"

namespace tenon::autocast {

/// Returns true if a tensor is on the device type and has a floating dtype other than float64.
bool is_eligible(const tensor::Tensor& tensor, int32_t device_type) noexcept;

/// Returns the tensor converted to a dtype, from the thread's cache if possible; NULL if the tensor
/// needs no cast. Autocast must be excluded, because the conversion calls an operator. Throws the
/// operator's errors.
tensor::TensorPtr cast(tensor::Tensor& tensor, tenon_dtype dtype, int32_t device_type);

/// See tenon_autocast_cast. The value is owned.
tenon_value cast_value(const tenon_value& value, tenon_dtype dtype, int32_t device_type);

/// See tenon_autocast_promote; `who` begins messages.
tenon_dtype promote(const char* who, tenon_dtype initial, std::span<const tenon_value> values,
                    int32_t device_type);

/// Callbacks that the autograd layer installs once: whether a tensor is a leaf that requires grad,
/// and whether it requires grad at all.
struct Gradients {
  bool (*is_asking_leaf)(const tensor::Tensor& tensor) noexcept;
  bool (*requires_grad)(const tensor::Tensor& tensor) noexcept;
};
void set_gradients(const Gradients& gradients) noexcept;

}  // namespace tenon::autocast
