// SPDX-License-Identifier: Apache-2.0
// aten::segment_reduce: sums, means, products and extremes of segments of adjacent elements along a
// dim.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

enum class SegmentWord : uint8_t { Max, Mean, Min, Sum, Prod };

// One call. Data is viewed as (outer, along, inner), and each outer index has its segments.
struct Segments {
  Tensor data;
  Tensor bounds;  // lengths, or offsets
  SegmentWord word;
  bool are_offsets;
  int64_t axis;
  int64_t count;  // number of segments
  int64_t outer;
  int64_t along;
  int64_t inner;
  std::optional<double> initial;
};

namespace ops {

void segment_reduce_meta(const Call& call);

inline constexpr Facts kSegmentReduce{
    .family = &kRoutine,
    .name = "segment_reduce",
    .params =
        "Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, "
        "Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "data: segment_reduce_gradient(grad, result, data, reduce, lengths, offsets, axis, "
        "initial)",
    .tangent =
        "segment_reduce_tangent(data_t, result, data, reduce, lengths, offsets, axis, initial)",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&segment_reduce_meta},
};

void segment_reduce_backward_meta(const Call& call);

inline constexpr Facts kSegmentReduceBackward{
    .family = &kRoutine,
    .name = "_segment_reduce_backward",
    .params =
        "Tensor grad, Tensor output, Tensor data, str reduce, *, Tensor? lengths=None, "
        "Tensor? offsets=None, int axis=0, Scalar? initial=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "grad: segment_reduce_tangent(grad, output, data, reduce, lengths, offsets, axis, "
        "initial); "
        "data: segment_reduce_second(grad, data, reduce)",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&segment_reduce_backward_meta},
};

void segment_reduce_gradient(const Call& call);

inline constexpr Facts kSegmentReduceGradient{
    .family = &kComposite,
    .name = "segment_reduce_gradient",
    .params =
        "Tensor grad, Tensor output, Tensor data, str reduce, Tensor? lengths, Tensor? offsets, "
        "int axis, Scalar? initial",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&segment_reduce_gradient},
};

void segment_reduce_tangent(const Call& call);

// The directional derivative of the result for a change `grad` of the data.
inline constexpr Facts kSegmentReduceTangent{
    .family = &kComposite,
    .name = "segment_reduce_tangent",
    .params =
        "Tensor grad, Tensor output, Tensor data, str reduce, Tensor? lengths, Tensor? offsets, "
        "int axis, Scalar? initial",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&segment_reduce_tangent},
};

void segment_reduce_second(const Call& call);

// The second derivative by the data: 0, except for products, for which it is refused.
inline constexpr Facts kSegmentReduceSecond{
    .family = &kComposite,
    .name = "segment_reduce_second",
    .params = "Tensor grad, Tensor data, str reduce",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&segment_reduce_second},
};

// Return the checked arguments of a call of segment_reduce or its gradient, and its result.
Segments segments_of(const Call& call);
Segments segments_of_backward(const Call& call);
Tensor segment_result(const Call& call, const Segments& segments);

}  // namespace ops

}  // namespace tenon::kernels
