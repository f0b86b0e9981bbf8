// SPDX-License-Identifier: Apache-2.0
// aten::layer_norm, aten::group_norm and aten::rms_norm: elements divided by the spread of the
// group that they are normalized with; aten::native_layer_norm, which also returns mean and scale.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {

void layer_norm(const Call& call);

inline constexpr Facts kLayerNorm{
    .family = &kComposite,
    .name = "layer_norm",
    .params =
        "Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, "
        "float eps=1e-05, bool cudnn_enable=True",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&layer_norm},
};

void native_layer_norm(const Call& call);
// Like native_layer_norm(), for symbolic sizes and without elements.
void native_layer_norm_in_words(const Call& call);

// No derivatives flow through mean and scale, as in PyTorch.
inline constexpr Facts kNativeLayerNorm{
    .family = &kExplicit,
    .name = "native_layer_norm",
    .params =
        "Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float "
        "eps",
    .returns = "(Tensor, Tensor, Tensor)",
    .tags = "core",
    .gradient =
        "input: layer_norm_backward(grads[0], input, normalized_shape, weight, eps); "
        "weight: grads[0] * standard_rows(input, normalized_shape, eps); bias: grads[0]",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&native_layer_norm},
};

void layer_norm_backward(const Call& call);

inline constexpr Facts kLayerNormBackward{
    .family = &kComposite,
    .name = "layer_norm_backward",
    .params = "Tensor grad, Tensor input, SymInt[] normalized_shape, Tensor? weight, float eps",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&layer_norm_backward},
};

void standard_rows(const Call& call);

inline constexpr Facts kStandardRows{
    .family = &kComposite,
    .name = "standard_rows",
    .params = "Tensor input, SymInt[] normalized_shape, float eps",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&standard_rows},
};

// One call of native_layer_norm with checked arguments: shapes and dtypes of the results.
struct LayerNormPlan {
  Tensor input;
  std::optional<Tensor> weight, bias;
  double eps;
  Dtype wide;  // computing dtype
  Dtype kept;  // dtype of mean and scale
  Dims outer;  // sizes of mean and scale: the input's, with 1 for normalized dims
  int64_t rows;
  int64_t length;
};
LayerNormPlan layer_norm_plan(const Call& call);

void group_norm(const Call& call);

inline constexpr Facts kGroupNorm{
    .family = &kComposite,
    .name = "group_norm",
    .params =
        "Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, "
        "bool cudnn_enabled=True",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&group_norm},
};

void rms_norm(const Call& call);

inline constexpr Facts kRmsNorm{
    .family = &kComposite,
    .name = "rms_norm",
    .params = "Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&rms_norm},
};

}  // namespace tenon::kernels::ops
