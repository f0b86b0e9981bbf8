// SPDX-License-Identifier: Apache-2.0
// aten::scatter_reduce, and aten::scatter with a reduction: reduces elements of a tensor, or a
// number, into self at the indices along a dim in an index tensor, by sum, product, mean, maximum
// or minimum.
#pragma once

#include "kernels/common/maths/element_types.h"
#include "kernels/common/places.h"

namespace tenon::kernels {

enum class ReduceBy : uint8_t { Sum, Prod, Mean, Amax, Amin };

struct ScatterReduction {
  Tensor result;
  int64_t dim;  // wrapped
  ReduceBy reduction;
  bool includes_self;  // false: elements of self at the indices do not take part
};

// The element types that the reduction supports.
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

// The gradient of self, by PyTorch's formulas: for a product the other factors, for a mean a share
// of each element, for an extreme an equal part for all elements that equal it.
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
