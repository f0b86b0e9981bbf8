// SPDX-License-Identifier: Apache-2.0
// Argument checks and result of aten::segment_reduce, and its gradients.
#include "kernels/ops/indexing/segment_reduce.h"

#include <algorithm>
#include <string_view>

#include "kernels/common/maths/element.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {
namespace {

SegmentWord segment_word_of(const Call& call, std::string_view word) {
  if (word == "max" || word == "amax") return SegmentWord::Max;
  if (word == "min" || word == "amin") return SegmentWord::Min;
  if (word == "mean") return SegmentWord::Mean;
  if (word == "sum") return SegmentWord::Sum;
  if (word == "prod") return SegmentWord::Prod;
  fail_argument(call.op(), "reduce", "max, mean, min, prod or sum", std::string(word));
}

// The sizes of data before and at the axis must be those of the bounds.
Segments begin_segments(const Call& call, const Tensor& data, std::string_view word,
                        const std::optional<Tensor>& lengths, const std::optional<Tensor>& offsets,
                        int64_t axis, const std::optional<Scalar>& initial) {
  check_floating(call.op(), "data", data.dtype());
  if (!lengths && !offsets) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": lengths or offsets must be given, got neither"});
  }
  if (data.ndim() == 0) fail_argument(call.op(), "data", "have at least 1 dim", data.sizes());
  const char* const name = lengths ? "lengths" : "offsets";
  Segments segments{};
  segments.data = data;
  segments.bounds = lengths ? *lengths : *offsets;
  segments.word = segment_word_of(call, word);
  segments.are_offsets = !lengths;
  segments.axis = wrap_dim(call.op(), axis, data.ndim());
  const Tensor& bounds = segments.bounds;
  check_dtype(call.op(), name, bounds.dtype(), ElementTypes<int32_t, int64_t>());
  if (bounds.ndim() != segments.axis + 1) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": ", name, " must have axis as last dim, got sizes ", bounds.sizes(),
          " and axis ", segments.axis});
  }
  segments.count = bounds.size(-1) - (segments.are_offsets ? 1 : 0);
  segments.outer = segments.inner = 1;
  for (int64_t d = 0; d < data.ndim(); ++d) {
    if (d < segments.axis) {
      segments.outer *= data.size(d);
      if (bounds.size(d) != data.size(d)) {
        fail(TENON_ERROR_INVALID_ARGUMENT,
             {call.op(), ": ", name, " must have data's sizes before axis, got sizes ",
              bounds.sizes(), " and ", data.sizes()});
      }
    } else if (d > segments.axis) {
      segments.inner *= data.size(d);
    }
  }
  segments.along = data.size(segments.axis);
  if (segments.count < 0) fail_argument(call.op(), name, "have at least 1 number", bounds.sizes());
  if (initial) segments.initial = initial->to_double();
  return segments;
}

Dims segment_sizes(const Segments& segments) {
  Dims sizes(segments.data.sizes());
  sizes[segments.axis] = segments.count;
  return sizes;
}

using Reduce = Tensor(const Tensor&, std::string_view, const std::optional<Tensor>&,
                      const std::optional<Tensor>&, const std::optional<Tensor>&, int64_t, bool,
                      const std::optional<Scalar>&);
using ReduceBackward = Tensor(const Tensor&, const Tensor&, const Tensor&, std::string_view,
                              const std::optional<Tensor>&, const std::optional<Tensor>&, int64_t,
                              const std::optional<Scalar>&);
constinit const LazyOp<ReduceBackward> reduce_backward("aten::_segment_reduce_backward");

}  // namespace

Segments segments_of(const Call& call) {
  if (call.get<std::optional<Tensor>>(3)) {
    fail(TENON_ERROR_NOT_SUPPORTED, {call.op(), ": indices must be None, since lengths or ",
                                     "offsets define the segments, got a tensor"});
  }
  return begin_segments(call, *call.get<Tensor>(0), call.get<std::string_view>(1),
                        call.get<std::optional<Tensor>>(2), call.get<std::optional<Tensor>>(4),
                        call.get<int64_t>(5), call.get<std::optional<Scalar>>(7));
}

Segments segments_of_backward(const Call& call) {
  Segments segments = begin_segments(
      call, *call.get<Tensor>(2), call.get<std::string_view>(3), call.get<std::optional<Tensor>>(4),
      call.get<std::optional<Tensor>>(5), call.get<int64_t>(6), call.get<std::optional<Scalar>>(7));
  const Dims wanted = segment_sizes(segments);
  for (int k = 0; k < 2; ++k) {
    const Tensor tensor = *call.get<Tensor>(k);
    check_dtype_of(call.op(), call.form.names[k], tensor.dtype(), "data", segments.data.dtype());
    if (!std::ranges::equal(tensor.sizes(), wanted)) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": ", call.form.names[k], " must have sizes ",
                                          wanted, ", got ", tensor.sizes()});
    }
  }
  return segments;
}

Tensor segment_result(const Call& call, const Segments& segments) {
  return result_for(call, segment_sizes(segments), segments.data.dtype(), segments.data.device());
}

void segment_reduce_meta(const Call& call) {
  Tensor result = segment_result(call, segments_of(call));
  if (call.form.is_functional()) call.give(0, std::move(result));
}

void segment_reduce_backward_meta(const Call& call) {
  const Segments segments = segments_of_backward(call);
  Tensor result =
      result_for(call, segments.data.sizes(), segments.data.dtype(), segments.data.device());
  if (call.form.is_functional()) call.give(0, std::move(result));
}

void segment_reduce_gradient(const Call& call) {
  call.give(0, reduce_backward(*call.get<Tensor>(0), *call.get<Tensor>(1), *call.get<Tensor>(2),
                               call.get<std::string_view>(3), call.get<std::optional<Tensor>>(4),
                               call.get<std::optional<Tensor>>(5), call.get<int64_t>(6),
                               call.get<std::optional<Scalar>>(7)));
}

void segment_reduce_tangent(const Call& call) {
  static constinit const LazyOp<Reduce> reduce("aten::segment_reduce");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> filled("aten::fill.Scalar");
  const Tensor output = *call.get<Tensor>(1);
  const auto lengths = call.get<std::optional<Tensor>>(4);
  const auto offsets = call.get<std::optional<Tensor>>(5);
  const auto axis = call.get<int64_t>(6);
  const Tensor slopes = reduce_backward(filled(output, Scalar(1)), output, *call.get<Tensor>(2),
                                        call.get<std::string_view>(3), lengths, offsets, axis,
                                        call.get<std::optional<Scalar>>(7));
  call.give(0, reduce(call_mul(*call.get<Tensor>(0), slopes), "sum", lengths, std::nullopt, offsets,
                      axis, true, std::nullopt));
}

void segment_reduce_second(const Call& call) {
  if (call.get<std::string_view>(2) == "prod") {
    fail(TENON_ERROR_NOT_SUPPORTED,
         {call.op(), ": reduce must not be prod for second derivatives"});
  }
  call.give(0, call_mul(*call.get<Tensor>(1), Scalar(0)));
}

}  // namespace tenon::kernels::ops
