// SPDX-License-Identifier: Apache-2.0
// aten::empty: an uninitialized tensor.
#pragma once

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {

// Allocates on `device` instead of the device in the call's arguments.
Tensor empty_on(const Device& device, Sizes size, const FactoryOptions& options,
                std::optional<MemoryFormat> memory_format);

namespace ops {

inline void empty_meta(const Call& call) {
  call.give(0, empty_on(Device(TENON_DEVICE_META, 0), call.get<Sizes>(0), options_of(call),
                        call.get<std::optional<MemoryFormat>>(5)));
}

inline constexpr Facts kEmpty{
    .family = &kRoutine,
    .name = "empty.memory_format",
    .params = "SymInt[] size, *, $options, MemoryFormat? memory_format=None",
    .tags = "core",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&empty_meta},
};

// Resizes the caller's tensor.
inline void empty_out(const Call& call) { begin_factory(call); }

inline constexpr Facts kEmptyOut{
    .family = &kExplicit,
    .name = "empty",
    .params = "SymInt[] size, *, $options, MemoryFormat? memory_format=None",
    .forms = kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&empty_out, /*writes_out=*/true},
};

}  // namespace ops

}  // namespace tenon::kernels
