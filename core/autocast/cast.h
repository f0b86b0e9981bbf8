// SPDX-License-Identifier: Apache-2.0
// Casts of a call's arguments, as rules and handwritten kernels make them.
#pragma once

#include <span>

#include "autocast/state.h"
#include "tenon/value.h"

namespace tenon::autocast {

/// Whether a tensor is of the device type, and of a floating dtype other than float64.
bool is_eligible(const tensor::Tensor& tensor, int32_t device_type) noexcept;

/// The tensor converted to a dtype, from the thread's cache where that has it; empty where it stays
/// as it is. Calls on the operator that converts: Autocast is excluded. Throws what that raised.
tensor::TensorPtr cast(tensor::Tensor& tensor, tenon_dtype dtype, int32_t device_type);

/// See tenon_autocast_cast. The value is owned.
tenon_value cast_value(const tenon_value& value, tenon_dtype dtype, int32_t device_type);

/// See tenon_autocast_promote; `who` begins messages.
tenon_dtype promote(const char* who, tenon_dtype initial, std::span<const tenon_value> values,
                    int32_t device_type);

/// Told once, by what knows of gradients: whether a tensor is a leaf that asks for them, and
/// whether gradients flow to it at all.
struct Gradients {
  bool (*is_asking_leaf)(const tensor::Tensor& tensor) noexcept;
  bool (*requires_grad)(const tensor::Tensor& tensor) noexcept;
};
void set_gradients(const Gradients& gradients) noexcept;

}  // namespace tenon::autocast
