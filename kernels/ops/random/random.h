// SPDX-License-Identifier: Apache-2.0
// aten::random: sets each element to a random integer in [from, to), or in the range in which the
// dtype represents all integers; aten::randint, which makes the tensor.
#pragma once

#include "kernels/common/maths/element.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {

// The integers to draw from: `count` of them from `first` on; a count of 0 means 2^64.
struct Drawn {
  int64_t first;
  uint64_t count;
  bool is_wide;  // each is drawn from 64 bits instead of 32
};
// Checks the arguments of aten::random_ and returns the integers to draw from.
Drawn drawn_by(const Call& call);

namespace ops {

void random_meta(const Call& call);

inline constexpr Facts kRandomInPlace{
    .family = &kRoutine,
    .name = "random",
    .params = "Tensor self, *, Generator? generator=None",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&random_meta},
};

inline constexpr Facts kRandomFromInPlace{
    .family = &kRoutine,
    .name = "random.from",
    .params = "Tensor self, int from, int? to, *, Generator? generator=None",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&random_meta},
};

inline constexpr Facts kRandomToInPlace{
    .family = &kRoutine,
    .name = "random.to",
    .params = "Tensor self, int to, *, Generator? generator=None",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&random_meta},
};

// Fills a new tensor like self.
void random(const Call& call);

inline constexpr Facts kRandom{
    .family = &kExplicit,
    .name = "random",
    .params = "Tensor self, *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&random},
};

inline constexpr Facts kRandomFrom{
    .family = &kExplicit,
    .name = "random.from",
    .params = "Tensor self, int from, int? to, *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .out = "from_out",
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&random},
};

inline constexpr Facts kRandomTo{
    .family = &kExplicit,
    .name = "random.to",
    .params = "Tensor self, int to, *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .out = "to_out",
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&random},
};

void randint(const Call& call);

inline constexpr Facts kRandint{
    .family = &kExplicit,
    .name = "randint",
    .params = "SymInt high, SymInt[] size, *, $long_options",
    .forms = kFunctional | kOut,
    .tags = "nondeterministic_seeded",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&randint, /*writes_out=*/true},
};

inline constexpr Facts kRandintLow{
    .family = &kExplicit,
    .name = "randint.low",
    .params = "SymInt low, SymInt high, SymInt[] size, *, $long_options",
    .forms = kFunctional | kOut,
    .out = "low_out",
    .tags = "nondeterministic_seeded",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&randint, /*writes_out=*/true},
};

inline constexpr Facts kRandintGenerator{
    .family = &kExplicit,
    .name = "randint.generator",
    .params = "SymInt high, SymInt[] size, *, Generator? generator, $long_options",
    .forms = kFunctional | kOut,
    .out = "generator_out",
    .tags = "nondeterministic_seeded",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&randint, /*writes_out=*/true},
};

inline constexpr Facts kRandintLowGenerator{
    .family = &kExplicit,
    .name = "randint.low_generator",
    .params = "SymInt low, SymInt high, SymInt[] size, *, Generator? generator, $long_options",
    .forms = kFunctional | kOut,
    .out = "low_generator_out",
    .tags = "nondeterministic_seeded",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&randint, /*writes_out=*/true},
};

void randint_like(const Call& call);

inline constexpr Facts kRandintLike{
    .family = &kExplicit,
    .name = "randint_like",
    .params = "Tensor self, SymInt high, *, $options, MemoryFormat? memory_format=None",
    .forms = kFunctional | kOut,
    .tags = "nondeterministic_seeded",
    .gradient = "none: not differentiable",
    .tangent = "none: constant",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&randint_like, /*writes_out=*/true},
};

inline constexpr Facts kRandintLikeLow{
    .family = &kExplicit,
    .name = "randint_like.low_dtype",
    .params = "Tensor self, SymInt low, SymInt high, *, $options, MemoryFormat? memory_format=None",
    .forms = kFunctional | kOut,
    .out = "low_dtype_out",
    .tags = "nondeterministic_seeded",
    .gradient = "none: not differentiable",
    .tangent = "none: constant",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&randint_like, /*writes_out=*/true},
};

}  // namespace ops

}  // namespace tenon::kernels
