// SPDX-License-Identifier: Apache-2.0
// aten::normal: random samples of normal distributions whose mean and standard deviation are
// numbers or tensors.
#pragma once

#include "kernels/common/families/routine.h"
#include "kernels/common/maths/element.h"

namespace tenon::kernels {

// Throws unless the tensor is floating or complex and writable, and std is not negative.
void check_normal(const char* op, const tenon_tensor_info& self, double std);

namespace ops {

inline void normal_meta(const Call& call) {
  check_normal(call.op(), call.get<Tensor>(0)->info(), call.get<double>(2));
}

inline constexpr Facts kNormalInPlace{
    .family = &kRoutine,
    .name = "normal",
    .params = "Tensor self, float mean=0., float std=1., *, Generator? generator=None",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded functional=aten::normal_functional",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&normal_meta},
};

// Fills a new tensor like self.
void normal_like(const Call& call);

inline constexpr Facts kNormalOut{
    .family = &kExplicit,
    .name = "normal",
    .params = "Tensor self, float mean=0., float std=1., *, Generator? generator=None",
    .forms = kOut,
    .tags = "nondeterministic_seeded functional=aten::normal_functional",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&normal_like},
};
inline constexpr Facts kNormalFunctional{
    .family = &kExplicit,
    .name = "normal_functional",
    .params = "Tensor self, float mean=0., float std=1., *, Generator? generator=None",
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&normal_like},
};

// Fills a new tensor of given sizes.
void normal_numbers(const Call& call);

inline constexpr Facts kNormalNumbers{
    .family = &kExplicit,
    .name = "normal.float_float",
    .params = "float mean, float std, SymInt[] size, *, Generator? generator=None, $options",
    .forms = kFunctional | kOut,
    .out = "float_float_out",
    .tags = "nondeterministic_seeded",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&normal_numbers, /*writes_out=*/true},
};

// Return standard samples times std plus mean.
void normal_of_means(const Call& call);
void normal_of_stds(const Call& call);
void normal_of_both(const Call& call);

inline constexpr Facts kNormalOfMeans{
    .family = &kExplicit,
    .name = "normal.Tensor_float",
    .params = "Tensor mean, float std=1., *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .out = "Tensor_float_out",
    .tags = "nondeterministic_seeded",
    .gradient = "mean: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .node_number = 1,
    .cast = Cast::None,
    .routine = {&normal_of_means, /*writes_out=*/true},
};
inline constexpr Facts kNormalOfStds{
    .family = &kExplicit,
    .name = "normal.float_Tensor",
    .params = "float mean, Tensor std, *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .out = "float_Tensor_out",
    .tags = "nondeterministic_seeded",
    .gradient = "std: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&normal_of_stds, /*writes_out=*/true},
};
inline constexpr Facts kNormalOfBoth{
    .family = &kExplicit,
    .name = "normal.Tensor_Tensor",
    .params = "Tensor mean, Tensor std, *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .out = "Tensor_Tensor_out",
    .tags = "nondeterministic_seeded",
    .gradient = "mean: zeros_like(grad); std: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .node_number = 3,
    .cast = Cast::None,
    .routine = {&normal_of_both, /*writes_out=*/true},
};

}  // namespace ops

}  // namespace tenon::kernels
