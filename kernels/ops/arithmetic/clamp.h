// SPDX-License-Identifier: Apache-2.0
// aten::clamp, clamp_min and clamp_max: each element limited to bounds; and their gradient.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

// Clamps in one step, so that all three operands determine the strides of the result. A NaN in x is
// kept, because both comparisons are false; a NaN in a bound becomes the result.
template <class T>
struct ClampBetween {
  TENON_FUNCTOR T operator()(T x, T min, T max) const {
    const T above = min > x ? min : x;
    const T between = max < above ? max : above;
    if constexpr (std::is_floating_point_v<T>) {
      return ((min != min) | (max != max)) ? min + max : between;
    }
    return between;
  }
};

inline constexpr Facts kClampBetween{
    .family = &kPointwise,
    .name = "clamp_between",
    .params = "Tensor self, Tensor min, Tensor max",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient =
        "self: clamp_backward(grad, self, min, max, 0); "
        "min: clamp_backward(grad, self, min, max, 1); "
        "max: clamp_backward(grad, self, min, max, 2)",
    .tangent =
        "clamp_backward(self_t, self, min, max, 0) + "
        "clamp_backward(min_t, self, min, max, 1) + "
        "clamp_backward(max_t, self, min, max, 2)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kBool | kOrderedUnsigned}},
};

void clamp(const Call& call);
void clamp_min(const Call& call);
void clamp_max(const Call& call);

inline constexpr Facts kClamp{
    .family = &kExplicit,
    .name = "clamp",
    .params = "Tensor self, Scalar? min=None, Scalar? max=None",
    .forms = kAllForms,
    .tags = "core pointwise",
    .gradient = "self: clamp_backward(grad, self, min, max, 0)",
    .tangent = "clamp_backward(self_t, self, min, max, 0)",
    .batching = Batching::Pointwise,
    .node_number = 1,
    .cast = Cast::None,
    .routine = {&clamp},
};
inline constexpr Facts kClampTensor{
    .family = &kExplicit,
    .name = "clamp.Tensor",
    .params = "Tensor self, Tensor? min=None, Tensor? max=None",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "pointwise",
    .gradient =
        "self: clamp_backward(grad, self, min, max, 0); "
        "min: clamp_backward(grad, self, min, max, 1); "
        "max: clamp_backward(grad, self, min, max, 2)",
    .tangent =
        "clamp_backward(self_t, self, min, max, 0) + "
        "clamp_backward(min_t, self, min, max, 1) + "
        "clamp_backward(max_t, self, min, max, 2)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&clamp, /*writes_out=*/true},
};
inline constexpr Facts kClampMin{
    .family = &kExplicit,
    .name = "clamp_min",
    .params = "Tensor self, Scalar min",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: clamp_backward(grad, self, min, None, 0)",
    .tangent = "clamp_backward(self_t, self, min, None, 0)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&clamp_min},
};
inline constexpr Facts kClampMinTensor{
    .family = &kExplicit,
    .name = "clamp_min.Tensor",
    .params = "Tensor self, Tensor min",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "pointwise",
    .gradient =
        "self: clamp_backward(grad, self, min, None, 0); "
        "min: clamp_backward(grad, self, min, None, 1)",
    .tangent =
        "clamp_backward(self_t, self, min, None, 0) + "
        "clamp_backward(min_t, self, min, None, 1)",
    .batching = Batching::Pointwise,
    .node_number = 1,
    .cast = Cast::None,
    .routine = {&clamp_min, /*writes_out=*/true},
};
inline constexpr Facts kClampMax{
    .family = &kExplicit,
    .name = "clamp_max",
    .params = "Tensor self, Scalar max",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: clamp_backward(grad, self, None, max, 0)",
    .tangent = "clamp_backward(self_t, self, None, max, 0)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&clamp_max},
};
inline constexpr Facts kClampMaxTensor{
    .family = &kExplicit,
    .name = "clamp_max.Tensor",
    .params = "Tensor self, Tensor max",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "pointwise",
    .gradient =
        "self: clamp_backward(grad, self, None, max, 0); "
        "max: clamp_backward(grad, self, None, max, 2)",
    .tangent =
        "clamp_backward(self_t, self, None, max, 0) + "
        "clamp_backward(max_t, self, None, max, 2)",
    .batching = Batching::Pointwise,
    .node_number = 1,
    .cast = Cast::None,
    .routine = {&clamp_max, /*writes_out=*/true},
};

void clamp_backward(const Call& call);

// The gradient of self (`which` 0), min (1) or max (2): `grad` where that one is the result,
// otherwise 0.
inline constexpr Facts kClampBackward{
    .family = &kComposite,
    .name = "clamp_backward",
    .params = "Tensor grad, Tensor self, Scalar? min, Scalar? max, int which",
    .forms = kFunctional,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&clamp_backward},
};
inline constexpr Facts kClampBackwardTensor{
    .family = &kComposite,
    .name = "clamp_backward.Tensor",
    .params = "Tensor grad, Tensor self, Tensor? min, Tensor? max, int which",
    .forms = kFunctional,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&clamp_backward},
};

inline constexpr Facts kClip{
    .family = &kSynonym,
    .name = "clip",
    .params = "Tensor self, Scalar? min=None, Scalar? max=None",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "none: calls clamp",
    .tangent = "none: calls clamp",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kClamp,
};

inline constexpr Facts kClipTensor{
    .family = &kSynonym,
    .name = "clip.Tensor",
    .params = "Tensor self, Tensor? min=None, Tensor? max=None",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "pointwise",
    .gradient = "none: calls clamp",
    .tangent = "none: calls clamp",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kClampTensor,
};

}  // namespace tenon::kernels::ops
