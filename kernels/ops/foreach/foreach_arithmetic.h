// SPDX-License-Identifier: Apache-2.0
// aten::_foreach_add and similar operators: arithmetic on each tensor of a list, with a number for
// all or for each, or with another list.
// Long file: one table of facts of operators that differ only in names and types.
#pragma once

#include "kernels/ops/foreach/each.h"

namespace tenon::kernels::ops {

inline constexpr Facts kForeachAddList{
    .family = &kComposite,
    .name = "_foreach_add.List",
    .params = "Tensor[] self, Tensor[] other, *, Scalar alpha=1",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "List_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"add.Tensor", "add_.Tensor">},
};

inline constexpr Facts kForeachAddScalar{
    .family = &kComposite,
    .name = "_foreach_add.Scalar",
    .params = "Tensor[] self, Scalar scalar",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"add.Scalar", "add_.Scalar">},
};

inline constexpr Facts kForeachAddScalarList{
    .family = &kComposite,
    .name = "_foreach_add.ScalarList",
    .params = "Tensor[] self, Scalar[] scalars",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "ScalarList_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"add.Scalar", "add_.Scalar">},
};

inline constexpr Facts kForeachAddTensor{
    .family = &kComposite,
    .name = "_foreach_add.Tensor",
    .params = "Tensor[] self, Tensor other, *, Scalar alpha=1",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"add.Tensor", "add_.Tensor">},
};

inline constexpr Facts kForeachAddcdivScalar{
    .family = &kComposite,
    .name = "_foreach_addcdiv.Scalar",
    .params = "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"addcdiv", "addcdiv_">},
};

inline constexpr Facts kForeachAddcdivScalarList{
    .family = &kComposite,
    .name = "_foreach_addcdiv.ScalarList",
    .params = "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "ScalarList_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"addcdiv", "addcdiv_">},
};

void foreach_addcdiv_numbers(const Call& call);

inline constexpr Facts kForeachAddcdivTensor{
    .family = &kComposite,
    .name = "_foreach_addcdiv.Tensor",
    .params = "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&foreach_addcdiv_numbers},
};

inline constexpr Facts kForeachAddcmulScalar{
    .family = &kComposite,
    .name = "_foreach_addcmul.Scalar",
    .params = "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"addcmul", "addcmul_">},
};

inline constexpr Facts kForeachAddcmulScalarList{
    .family = &kComposite,
    .name = "_foreach_addcmul.ScalarList",
    .params = "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "ScalarList_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"addcmul", "addcmul_">},
};

void foreach_addcmul_numbers(const Call& call);

inline constexpr Facts kForeachAddcmulTensor{
    .family = &kComposite,
    .name = "_foreach_addcmul.Tensor",
    .params = "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&foreach_addcmul_numbers},
};

inline constexpr Facts kForeachClampMaxList{
    .family = &kComposite,
    .name = "_foreach_clamp_max.List",
    .params = "Tensor[] self, Tensor[] other",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "List_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clamp_max.Tensor", "clamp_max_.Tensor">},
};

inline constexpr Facts kForeachClampMaxScalar{
    .family = &kComposite,
    .name = "_foreach_clamp_max.Scalar",
    .params = "Tensor[] self, Scalar scalar",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clamp_max", "clamp_max_">},
};

inline constexpr Facts kForeachClampMaxScalarList{
    .family = &kComposite,
    .name = "_foreach_clamp_max.ScalarList",
    .params = "Tensor[] self, Scalar[] scalars",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "ScalarList_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clamp_max", "clamp_max_">},
};

inline constexpr Facts kForeachClampMinList{
    .family = &kComposite,
    .name = "_foreach_clamp_min.List",
    .params = "Tensor[] self, Tensor[] other",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "List_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clamp_min.Tensor", "clamp_min_.Tensor">},
};

inline constexpr Facts kForeachClampMinScalar{
    .family = &kComposite,
    .name = "_foreach_clamp_min.Scalar",
    .params = "Tensor[] self, Scalar scalar",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clamp_min", "clamp_min_">},
};

inline constexpr Facts kForeachClampMinScalarList{
    .family = &kComposite,
    .name = "_foreach_clamp_min.ScalarList",
    .params = "Tensor[] self, Scalar[] scalars",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "ScalarList_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clamp_min", "clamp_min_">},
};

inline constexpr Facts kForeachDivList{
    .family = &kComposite,
    .name = "_foreach_div.List",
    .params = "Tensor[] self, Tensor[] other",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "List_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"div.Tensor", "div_.Tensor">},
};

inline constexpr Facts kForeachDivScalar{
    .family = &kComposite,
    .name = "_foreach_div.Scalar",
    .params = "Tensor[] self, Scalar scalar",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"div.Scalar", "div_.Scalar">},
};

inline constexpr Facts kForeachDivScalarList{
    .family = &kComposite,
    .name = "_foreach_div.ScalarList",
    .params = "Tensor[] self, Scalar[] scalars",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "ScalarList_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"div.Scalar", "div_.Scalar">},
};

inline constexpr Facts kForeachDivTensor{
    .family = &kComposite,
    .name = "_foreach_div.Tensor",
    .params = "Tensor[] self, Tensor other",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"div.Tensor", "div_.Tensor">},
};

inline constexpr Facts kForeachLerpList{
    .family = &kComposite,
    .name = "_foreach_lerp.List",
    .params = "Tensor[] self, Tensor[] tensors1, Tensor[] weights",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "List_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"lerp.Tensor", "lerp_.Tensor">},
};

inline constexpr Facts kForeachLerpScalar{
    .family = &kComposite,
    .name = "_foreach_lerp.Scalar",
    .params = "Tensor[] self, Tensor[] tensors1, Scalar weight",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"lerp.Scalar", "lerp_.Scalar">},
};

inline constexpr Facts kForeachLerpScalarList{
    .family = &kComposite,
    .name = "_foreach_lerp.ScalarList",
    .params = "Tensor[] self, Tensor[] tensors1, Scalar[] weight",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "ScalarList_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"lerp.Scalar", "lerp_.Scalar">},
};

inline constexpr Facts kForeachMaximumList{
    .family = &kComposite,
    .name = "_foreach_maximum.List",
    .params = "Tensor[] self, Tensor[] other",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "List_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clamp_min.Tensor", "clamp_min_.Tensor">},
};

inline constexpr Facts kForeachMaximumScalar{
    .family = &kComposite,
    .name = "_foreach_maximum.Scalar",
    .params = "Tensor[] self, Scalar scalar",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clamp_min", "clamp_min_">},
};

inline constexpr Facts kForeachMaximumScalarList{
    .family = &kComposite,
    .name = "_foreach_maximum.ScalarList",
    .params = "Tensor[] self, Scalar[] scalars",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "ScalarList_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clamp_min", "clamp_min_">},
};

inline constexpr Facts kForeachMinimumList{
    .family = &kComposite,
    .name = "_foreach_minimum.List",
    .params = "Tensor[] self, Tensor[] other",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "List_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clamp_max.Tensor", "clamp_max_.Tensor">},
};

inline constexpr Facts kForeachMinimumScalar{
    .family = &kComposite,
    .name = "_foreach_minimum.Scalar",
    .params = "Tensor[] self, Scalar scalar",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clamp_max", "clamp_max_">},
};

inline constexpr Facts kForeachMinimumScalarList{
    .family = &kComposite,
    .name = "_foreach_minimum.ScalarList",
    .params = "Tensor[] self, Scalar[] scalars",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "ScalarList_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clamp_max", "clamp_max_">},
};

inline constexpr Facts kForeachMulList{
    .family = &kComposite,
    .name = "_foreach_mul.List",
    .params = "Tensor[] self, Tensor[] other",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "List_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"mul.Tensor", "mul_.Tensor">},
};

inline constexpr Facts kForeachMulScalar{
    .family = &kComposite,
    .name = "_foreach_mul.Scalar",
    .params = "Tensor[] self, Scalar scalar",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"mul.Scalar", "mul_.Scalar">},
};

inline constexpr Facts kForeachMulScalarList{
    .family = &kComposite,
    .name = "_foreach_mul.ScalarList",
    .params = "Tensor[] self, Scalar[] scalars",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "ScalarList_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"mul.Scalar", "mul_.Scalar">},
};

inline constexpr Facts kForeachMulTensor{
    .family = &kComposite,
    .name = "_foreach_mul.Tensor",
    .params = "Tensor[] self, Tensor other",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"mul.Tensor", "mul_.Tensor">},
};

inline constexpr Facts kForeachPowList{
    .family = &kComposite,
    .name = "_foreach_pow.List",
    .params = "Tensor[] self, Tensor[] exponent",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "List_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"pow.Tensor_Tensor", "pow_.Tensor">},
};

inline constexpr Facts kForeachPowScalar{
    .family = &kComposite,
    .name = "_foreach_pow.Scalar",
    .params = "Tensor[] self, Scalar exponent",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"pow.Tensor_Scalar", "pow_.Scalar">},
};

inline constexpr Facts kForeachPowScalarAndTensor{
    .family = &kComposite,
    .name = "_foreach_pow.ScalarAndTensor",
    .params = "Scalar self, Tensor[] exponent",
    .returns = "Tensor[]",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"pow.Scalar", "pow.Scalar">},
};

inline constexpr Facts kForeachPowScalarList{
    .family = &kComposite,
    .name = "_foreach_pow.ScalarList",
    .params = "Tensor[] self, Scalar[] exponent",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "ScalarList_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"pow.Tensor_Scalar", "pow_.Scalar">},
};

inline constexpr Facts kForeachSubList{
    .family = &kComposite,
    .name = "_foreach_sub.List",
    .params = "Tensor[] self, Tensor[] other, *, Scalar alpha=1",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "List_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"sub.Tensor", "sub_.Tensor">},
};

inline constexpr Facts kForeachSubScalar{
    .family = &kComposite,
    .name = "_foreach_sub.Scalar",
    .params = "Tensor[] self, Scalar scalar",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"sub.Scalar", "sub_.Scalar">},
};

inline constexpr Facts kForeachSubScalarList{
    .family = &kComposite,
    .name = "_foreach_sub.ScalarList",
    .params = "Tensor[] self, Scalar[] scalars",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .out = "ScalarList_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"sub.Scalar", "sub_.Scalar">},
};

}  // namespace tenon::kernels::ops
