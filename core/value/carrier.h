// SPDX-License-Identifier: Apache-2.0
// Carriers and wrapper tensors: values and objects where a tensor handle is required.
#pragma once

#include "tenon/device.h"
#include "tenon/object.h"
#include "tenon/overrides.h"
#include "tenon/types.h"
#include "tenon/value.h"
#include "tensor/tensor.h"
#include "value/object.h"

namespace tenon::value {

/// See tenon_carrier_new.
tensor::TensorPtr new_carrier(const tenon_value& value);
/// Like new_carrier(), but takes over an owned value, which is cleared if this throws.
tensor::TensorPtr new_carrier_of(tenon_value value);
/// Returns the value in a carrier, NULL for all other tensors.
const tenon_value* carried(const tensor::Tensor& tensor) noexcept;

/// See tenon_wrapper_new. Reads all fields of `options`, whatever its struct_size is.
tensor::TensorPtr new_wrapper(const tenon_object_type* type, void* self,
                              const tenon_wrapper_options& options);
/// Returns the object of a wrapper tensor, NULL for all other tensors.
Object* wrapped(const tensor::Tensor& tensor) noexcept;

/// Returns the object of an object or function value, or of a carrier that holds one; NULL for all
/// other values.
Object* object_in(const tenon_value& value) noexcept;

/// Returns true if objects of a type are accepted for any argument.
inline bool overrides(const tenon_object_type* type) noexcept { return type->override != nullptr; }

}  // namespace tenon::value
