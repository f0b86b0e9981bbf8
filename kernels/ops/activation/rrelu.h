// SPDX-License-Identifier: Apache-2.0
// aten::rrelu: leaky ReLU with a random slope for each element, or the mean slope in evaluation;
// aten::rrelu_with_noise, which also returns the slopes.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void rrelu_with_noise_meta(const Call& call);

inline constexpr Facts kRreluWithNoiseFunctional{
    .family = &kRoutine,
    .name = "rrelu_with_noise_functional",
    .params =
        "Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.33333333333333331, "
        "bool training=False, Generator? generator=None",
    .returns = "(Tensor, Tensor noise_out)",
    .tags = "generated nondeterministic_seeded",
    .gradient =
        "self: rrelu_with_noise_backward(grads[0], self, noise_out, lower, upper, training, False)",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&rrelu_with_noise_meta},
};

void rrelu_with_noise(const Call& call);

inline constexpr Facts kRreluWithNoise{
    .family = &kComposite,
    .name = "rrelu_with_noise",
    .params =
        "Tensor self, Tensor(b!) noise, Scalar lower=0.125, Scalar upper=0.33333333333333331, "
        "bool training=False, Generator? generator=None",
    .forms = kAllForms,
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&rrelu_with_noise},
};

void rrelu(const Call& call);

inline constexpr Facts kRrelu{
    .family = &kComposite,
    .name = "rrelu",
    .params =
        "Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, "
        "Generator? generator=None",
    .forms = kFunctional,
    .tags = "nondeterministic_seeded pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&rrelu},
};

inline constexpr Facts kRreluInPlace{
    .family = &kComposite,
    .name = "rrelu",
    .params =
        "Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, "
        "Generator? generator=None",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&rrelu},
};

void rrelu_with_noise_backward(const Call& call);

inline constexpr Facts kRreluWithNoiseBackward{
    .family = &kComposite,
    .name = "rrelu_with_noise_backward",
    .params =
        "Tensor grad_output, Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training, "
        "bool self_is_result",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&rrelu_with_noise_backward},
};

// One call: the result, and the slopes, which are drawn or those of the call.
struct RandomSlopes {
  Tensor result;
  Tensor noise;
  double lower;
  double upper;
  bool draws;
};
RandomSlopes random_slopes_of(const Call& call);

}  // namespace tenon::kernels::ops
