// SPDX-License-Identifier: Apache-2.0
// aten::rand: a tensor of random numbers, uniform in [0, 1).
#pragma once

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

inline void rand(const Call& call) {
  Tensor made = begin_factory(call);
  call_uniform(made, 0.0, 1.0, std::nullopt);
  end_factory(call, std::move(made));
}

inline constexpr Facts kRand{
    .family = &kExplicit,
    .name = "rand",
    .params = "SymInt[] size, *, $options",
    .forms = kFunctional | kOut,
    .tags = "core nondeterministic_seeded",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&rand, /*writes_out=*/true},
};

inline void rand_generator(const Call& call) {
  Tensor made = begin_factory(call);
  call_uniform(made, 0.0, 1.0, call.get<std::optional<Generator>>(1));
  end_factory(call, std::move(made));
}

inline constexpr Facts kRandGenerator{
    .family = &kExplicit,
    .name = "rand.generator",
    .params = "SymInt[] size, *, Generator? generator, $options",
    .forms = kFunctional | kOut,
    .out = "generator_out",
    .tags = "nondeterministic_seeded",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&rand_generator, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
