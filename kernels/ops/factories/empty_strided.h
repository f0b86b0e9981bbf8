// SPDX-License-Identifier: Apache-2.0
// aten::empty_strided: an uninitialized tensor with the given strides.
#pragma once

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {

// Allocates on `device` instead of the device in the call's arguments.
Tensor empty_strided_on(const Device& device, Sizes size, Sizes stride,
                        const FactoryOptions& options);

namespace ops {

inline void empty_strided_meta(const Call& call) {
  call.give(0, empty_strided_on(Device(TENON_DEVICE_META, 0), call.get<Sizes>(0),
                                call.get<Sizes>(1), options_of(call)));
}

inline constexpr Facts kEmptyStrided{
    .family = &kRoutine,
    .name = "empty_strided",
    .params = "SymInt[] size, SymInt[] stride, *, $options",
    .tags = "core",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&empty_strided_meta},
};

// Resizes the caller's tensor; strides apply only to new tensors.
inline void empty_strided_out(const Call& call) { begin_factory(call); }

inline constexpr Facts kEmptyStridedOut{
    .family = &kExplicit,
    .name = "empty_strided",
    .params = "SymInt[] size, SymInt[] stride, *, $options",
    .forms = kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&empty_strided_out, /*writes_out=*/true},
};

}  // namespace ops

}  // namespace tenon::kernels
