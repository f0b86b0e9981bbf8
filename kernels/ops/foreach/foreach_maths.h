// SPDX-License-Identifier: Apache-2.0
// aten::_foreach_abs and similar operators: an elementwise function of each tensor of a list.
#pragma once

#include "kernels/ops/foreach/each.h"

namespace tenon::kernels::ops {

inline constexpr Facts kForeachAbs{
    .family = &kComposite,
    .name = "_foreach_abs",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"abs", "abs_">},
};

inline constexpr Facts kForeachAcos{
    .family = &kComposite,
    .name = "_foreach_acos",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"acos", "acos_">},
};

inline constexpr Facts kForeachAsin{
    .family = &kComposite,
    .name = "_foreach_asin",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"asin", "asin_">},
};

inline constexpr Facts kForeachAtan{
    .family = &kComposite,
    .name = "_foreach_atan",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"atan", "atan_">},
};

inline constexpr Facts kForeachCeil{
    .family = &kComposite,
    .name = "_foreach_ceil",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"ceil", "ceil_">},
};

inline constexpr Facts kForeachCos{
    .family = &kComposite,
    .name = "_foreach_cos",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"cos", "cos_">},
};

inline constexpr Facts kForeachCosh{
    .family = &kComposite,
    .name = "_foreach_cosh",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"cosh", "cosh_">},
};

inline constexpr Facts kForeachErf{
    .family = &kComposite,
    .name = "_foreach_erf",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"erf", "erf_">},
};

inline constexpr Facts kForeachErfc{
    .family = &kComposite,
    .name = "_foreach_erfc",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"erfc", "erfc_">},
};

inline constexpr Facts kForeachExp{
    .family = &kComposite,
    .name = "_foreach_exp",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"exp", "exp_">},
};

inline constexpr Facts kForeachExpm1{
    .family = &kComposite,
    .name = "_foreach_expm1",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"expm1", "expm1_">},
};

inline constexpr Facts kForeachFloor{
    .family = &kComposite,
    .name = "_foreach_floor",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"floor", "floor_">},
};

inline constexpr Facts kForeachFrac{
    .family = &kComposite,
    .name = "_foreach_frac",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"frac", "frac_">},
};

inline constexpr Facts kForeachLgamma{
    .family = &kComposite,
    .name = "_foreach_lgamma",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"lgamma", "lgamma_">},
};

inline constexpr Facts kForeachLog{
    .family = &kComposite,
    .name = "_foreach_log",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"log", "log_">},
};

inline constexpr Facts kForeachLog10{
    .family = &kComposite,
    .name = "_foreach_log10",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"log10", "log10_">},
};

inline constexpr Facts kForeachLog1p{
    .family = &kComposite,
    .name = "_foreach_log1p",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"log1p", "log1p_">},
};

inline constexpr Facts kForeachLog2{
    .family = &kComposite,
    .name = "_foreach_log2",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"log2", "log2_">},
};

inline constexpr Facts kForeachNeg{
    .family = &kComposite,
    .name = "_foreach_neg",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"neg", "neg_">},
};

inline constexpr Facts kForeachReciprocal{
    .family = &kComposite,
    .name = "_foreach_reciprocal",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"reciprocal", "reciprocal_">},
};

inline constexpr Facts kForeachRound{
    .family = &kComposite,
    .name = "_foreach_round",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"round", "round_">},
};

inline constexpr Facts kForeachRsqrt{
    .family = &kComposite,
    .name = "_foreach_rsqrt",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"rsqrt", "rsqrt_">},
};

inline constexpr Facts kForeachSigmoid{
    .family = &kComposite,
    .name = "_foreach_sigmoid",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"sigmoid", "sigmoid_">},
};

inline constexpr Facts kForeachSign{
    .family = &kComposite,
    .name = "_foreach_sign",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"sign", "sign_">},
};

inline constexpr Facts kForeachSin{
    .family = &kComposite,
    .name = "_foreach_sin",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"sin", "sin_">},
};

inline constexpr Facts kForeachSinh{
    .family = &kComposite,
    .name = "_foreach_sinh",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"sinh", "sinh_">},
};

inline constexpr Facts kForeachSqrt{
    .family = &kComposite,
    .name = "_foreach_sqrt",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"sqrt", "sqrt_">},
};

inline constexpr Facts kForeachTan{
    .family = &kComposite,
    .name = "_foreach_tan",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"tan", "tan_">},
};

inline constexpr Facts kForeachTanh{
    .family = &kComposite,
    .name = "_foreach_tanh",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"tanh", "tanh_">},
};

inline constexpr Facts kForeachTrunc{
    .family = &kComposite,
    .name = "_foreach_trunc",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"trunc", "trunc_">},
};

}  // namespace tenon::kernels::ops
