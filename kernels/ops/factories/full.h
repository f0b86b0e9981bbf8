// SPDX-License-Identifier: Apache-2.0
// aten::full: a tensor filled with a number, whose dtype is used unless one is given.
#pragma once

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

inline void full(const Call& call) {
  const auto value = call.get<Scalar>(1);
  Tensor made = begin_factory(call, inferred_dtype(value));
  call_fill(made, value);
  end_factory(call, std::move(made));
}

inline constexpr Facts kFull{
    .family = &kExplicit,
    .name = "full",
    .params = "SymInt[] size, Scalar fill_value, *, $options",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&full, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
