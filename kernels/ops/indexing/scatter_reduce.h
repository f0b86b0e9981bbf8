// SPDX-License-Identifier: Apache-2.0
// aten::scatter_reduce, and aten::scatter with a word for it: elements of a tensor, or a number,
// joined with those of self at the places along a dim that an index tensor says: added up,
// multiplied, their mean, the largest or the smallest.
#pragma once

#include "kernels/common/maths/element_types.h"
#include "kernels/common/places.h"

namespace tenon::kernels {

enum class ReduceBy : uint8_t { Sum, Prod, Mean, Amax, Amin };

struct ScatterReduction {
  Tensor result;
  int64_t dim;  // wrapped
  ReduceBy reduction;
  bool includes_self;  // else its elements at the places do not take part
};

// The dtypes of elements that can be joined so.
template <ReduceBy kBy>
using ReducedTypes = std::conditional_t<
    kBy == ReduceBy::Mean, NumberTypes,
    std::conditional_t<kBy == ReduceBy::Amax || kBy == ReduceBy::Amin, Joined<BoolType, RealTypes>,
                       Joined<BoolType, NumberTypes>>>;

// Checks the arguments and makes the tensor that is written, or takes the call's.
ScatterReduction scatter_reduction(const Call& call);

namespace ops {

void scatter_reduce_meta(const Call& call);

inline constexpr Facts kScatterReduceTwo{
    .family = &kRoutine,
    .name = "scatter_reduce.two",
    .params =
        "Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True",
    .forms = kAllForms,
    .out = "two_out",
    .tags = "core",
    .gradient =
        "self: scatter_reduce_self_backward(grad, self, dim, index, src, reduce, include_self, "
        "result); "
        "src: scatter_reduce_src_backward(grad, self, dim, index, src, reduce, include_self, "
        "result)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&scatter_reduce_meta},
};
inline constexpr Facts kScatterReduce{
    .family = &kRoutine,
    .name = "scatter.reduce",
    .params = "Tensor self, int dim, Tensor index, Tensor src, *, str reduce",
    .forms = kAllForms,
    .out = "reduce_out",
    .tags = "",
    .gradient =
        "self: scatter_reduce_self_backward(grad, self, dim, index, src, reduce, True, result); "
        "src: scatter_reduce_src_backward(grad, self, dim, index, src, reduce, True, result)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&scatter_reduce_meta},
};
inline constexpr Facts kScatterValueReduce{
    .family = &kRoutine,
    .name = "scatter.value_reduce",
    .params = "Tensor self, int dim, Tensor index, Scalar value, *, str reduce",
    .forms = kAllForms,
    .out = "value_reduce_out",
    .tags = "",
    .gradient = "self: scatter_value_reduce_backward(grad, dim, index, value, reduce)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&scatter_reduce_meta},
};

void scatter_reduce_self_backward(const Call& call);

// Of self, by PyTorch's formulas: of a product what the other factors are, of a mean a share for
// each element, of an extreme the same for all that equal it.
inline constexpr Facts kScatterReduceSelfBackward{
    .family = &kComposite,
    .name = "scatter_reduce_self_backward",
    .params =
        "Tensor grad, Tensor self, int dim, Tensor index, Tensor src, str reduce, "
        "bool include_self, Tensor result",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&scatter_reduce_self_backward},
};

void scatter_reduce_src_backward(const Call& call);

inline constexpr Facts kScatterReduceSrcBackward{
    .family = &kComposite,
    .name = "scatter_reduce_src_backward",
    .params =
        "Tensor grad, Tensor self, int dim, Tensor index, Tensor src, str reduce, "
        "bool include_self, Tensor result",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&scatter_reduce_src_backward},
};

void scatter_value_reduce_backward(const Call& call);

inline constexpr Facts kScatterValueReduceBackward{
    .family = &kComposite,
    .name = "scatter_value_reduce_backward",
    .params = "Tensor grad, int dim, Tensor index, Scalar value, str reduce",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&scatter_value_reduce_backward},
};

}  // namespace ops

}  // namespace tenon::kernels
