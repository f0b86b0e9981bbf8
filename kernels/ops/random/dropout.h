// SPDX-License-Identifier: Apache-2.0
// aten::dropout: sets random elements to 0 and scales the remaining ones up; aten::feature_dropout:
// drops whole channels; and aten::alpha_dropout, which keeps mean and standard deviation.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void dropout(const Call& call);

inline constexpr Facts kDropout{
    .family = &kComposite,
    .name = "dropout",
    .params = "Tensor input, float p, bool train",
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&dropout},
};

inline constexpr Facts kDropoutInPlace{
    .family = &kComposite,
    .name = "dropout",
    .params = "Tensor self, float p, bool train",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&dropout},
};

void feature_dropout(const Call& call);

inline constexpr Facts kFeatureDropout{
    .family = &kComposite,
    .name = "feature_dropout",
    .params = "Tensor input, float p, bool train",
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&feature_dropout},
};

inline constexpr Facts kFeatureDropoutInPlace{
    .family = &kComposite,
    .name = "feature_dropout",
    .params = "Tensor self, float p, bool train",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&feature_dropout},
};

void alpha_dropout(const Call& call);

inline constexpr Facts kAlphaDropout{
    .family = &kComposite,
    .name = "alpha_dropout",
    .params = "Tensor input, float p, bool train",
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&alpha_dropout},
};

inline constexpr Facts kAlphaDropoutInPlace{
    .family = &kComposite,
    .name = "alpha_dropout",
    .params = "Tensor self, float p, bool train",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&alpha_dropout},
};

void feature_alpha_dropout(const Call& call);

inline constexpr Facts kFeatureAlphaDropout{
    .family = &kComposite,
    .name = "feature_alpha_dropout",
    .params = "Tensor input, float p, bool train",
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&feature_alpha_dropout},
};

inline constexpr Facts kFeatureAlphaDropoutInPlace{
    .family = &kComposite,
    .name = "feature_alpha_dropout",
    .params = "Tensor self, float p, bool train",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&feature_alpha_dropout},
};

void native_dropout(const Call& call);

inline constexpr Facts kNativeDropout{
    .family = &kComposite,
    .name = "native_dropout",
    .params = "Tensor input, float p, bool? train",
    .returns = "(Tensor, Tensor)",
    .tags = "core nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&native_dropout},
};

}  // namespace tenon::kernels::ops
