// SPDX-License-Identifier: Apache-2.0
// aten::randn: a tensor of random samples of the standard normal distribution.
#pragma once

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

inline void randn(const Call& call) {
  Tensor made = begin_factory(call);
  call_normal(made, 0.0, 1.0, std::nullopt);
  end_factory(call, std::move(made));
}

inline constexpr Facts kRandn{
    .family = &kExplicit,
    .name = "randn",
    .params = "SymInt[] size, *, $options",
    .forms = kFunctional | kOut,
    .tags = "core nondeterministic_seeded",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&randn, /*writes_out=*/true},
};

inline void randn_generator(const Call& call) {
  Tensor made = begin_factory(call);
  call_normal(made, 0.0, 1.0, call.get<std::optional<Generator>>(1));
  end_factory(call, std::move(made));
}

inline constexpr Facts kRandnGenerator{
    .family = &kExplicit,
    .name = "randn.generator",
    .params = "SymInt[] size, *, Generator? generator, $options",
    .forms = kFunctional | kOut,
    .out = "generator_out",
    .tags = "nondeterministic_seeded",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&randn_generator, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
