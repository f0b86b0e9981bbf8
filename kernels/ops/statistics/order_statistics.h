// SPDX-License-Identifier: Apache-2.0
// aten::kthvalue: the k-th smallest element of each line along a dim, and its index; aten::median:
// the middle one, the lower of two; aten::nanmedian: ignoring NaN; aten::mode: the most frequent
// one.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void kthvalue(const Call& call);

inline constexpr Facts kKthvalue{
    .family = &kExplicit,
    .name = "kthvalue",
    .params = "Tensor self, SymInt k, int dim=-1, bool keepdim=False",
    .returns = "(Tensor values, Tensor indices)",
    .forms = kFunctional | kOut,
    .out = "values",
    .outs = "values, indices",
    .tags = "",
    .gradient =
        "self: value_selecting_reduction_backward(grad, dim, indices, self.sizes(), keepdim)",
    .tangent = "values: value_selecting_tangent(self_t, dim, indices, keepdim)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&kthvalue},
};

void median_dim(const Call& call);

inline constexpr Facts kMedianDim{
    .family = &kExplicit,
    .name = "median.dim",
    .params = "Tensor self, int dim, bool keepdim=False",
    .returns = "(Tensor values, Tensor indices)",
    .forms = kFunctional | kOut,
    .out = "dim_values",
    .outs = "values, indices",
    .tags = "",
    .gradient =
        "self: value_selecting_reduction_backward(grad, dim, indices, self.sizes(), keepdim)",
    .tangent = "values: value_selecting_tangent(self_t, dim, indices, keepdim)",
    .batching = Batching::Shift,
    .node_number = 1,
    .cast = Cast::None,
    .routine = {&median_dim},
};

void median(const Call& call);

inline constexpr Facts kMedian{
    .family = &kExplicit,
    .name = "median",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: where(isnan(result), isnan(self), eq(self, result)) * (grad / where(isnan(result), "
        "isnan(self), eq(self, result)).sum())",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&median},
};

void nanmedian_dim(const Call& call);

inline constexpr Facts kNanmedianDim{
    .family = &kExplicit,
    .name = "nanmedian.dim",
    .params = "Tensor self, int dim, bool keepdim=False",
    .returns = "(Tensor values, Tensor indices)",
    .forms = kFunctional | kOut,
    .out = "dim_values",
    .outs = "values, indices",
    .tags = "",
    .gradient =
        "self: value_selecting_reduction_backward(grad, dim, indices, self.sizes(), keepdim)",
    .tangent = "values: value_selecting_tangent(self_t, dim, indices, keepdim)",
    .batching = Batching::Shift,
    .node_number = 1,
    .cast = Cast::None,
    .routine = {&nanmedian_dim},
};

void nanmedian(const Call& call);

inline constexpr Facts kNanmedian{
    .family = &kExplicit,
    .name = "nanmedian",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: where(isnan(result), isnan(self), eq(self, result)) * (grad / where(isnan(result), "
        "isnan(self), eq(self, result)).sum())",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&nanmedian},
};

void mode(const Call& call);

inline constexpr Facts kMode{
    .family = &kExplicit,
    .name = "mode",
    .params = "Tensor self, int dim=-1, bool keepdim=False",
    .returns = "(Tensor values, Tensor indices)",
    .forms = kFunctional | kOut,
    .out = "values",
    .outs = "values, indices",
    .tags = "",
    .gradient =
        "self: value_selecting_reduction_backward(grad, dim, indices, self.sizes(), keepdim)",
    .tangent = "values: value_selecting_tangent(self_t, dim, indices, keepdim)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&mode},
};

void value_selecting_tangent(const Call& call);

inline constexpr Facts kValueSelectingTangent{
    .family = &kComposite,
    .name = "value_selecting_tangent",
    .params = "Tensor self, int dim, Tensor indices, bool keepdim",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&value_selecting_tangent},
};

}  // namespace tenon::kernels::ops
