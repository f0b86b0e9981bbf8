// SPDX-License-Identifier: Apache-2.0
// Where copies of a tensor go.
#pragma once

#include "kernels/ops/factory.h"

namespace tenon::kernels {

// A new tensor with the sizes of `like`, laid out in a memory format: row-major, channels last, or
// with dims in the order that `like` has them in memory.
Tensor empty_in_format(const char* op, const tenon_tensor_info& like, MemoryFormat memory_format,
                       const FactoryOptions& options);

// Options of a factory that takes what is not given from a tensor.
FactoryOptions options_like(const tenon_tensor_info& like, const FactoryOptions& given);

// The end of the schemas of those factories.
inline constexpr const char* kLikeOptions =
    "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
    "MemoryFormat? memory_format=None) -> Tensor";

// Whether a tensor is laid out row-major, or channels last; dims of size 1 do not count.
bool has_memory_format(const tenon_tensor_info& info, MemoryFormat format);

}  // namespace tenon::kernels
