// SPDX-License-Identifier: Apache-2.0
// The shape rule of aten::empty: strides of a memory format.
#pragma once

#include <optional>

#include "kernels/ops/factory.h"

namespace tenon::kernels {

// Allocates on `device`, whatever the call's own device argument says.
Tensor empty_on(const Device& device, Sizes size, const FactoryOptions& options,
                std::optional<MemoryFormat> memory_format);
Tensor empty_strided_on(const Device& device, Sizes size, Sizes stride,
                        const FactoryOptions& options);

}  // namespace tenon::kernels
