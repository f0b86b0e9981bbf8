// SPDX-License-Identifier: Apache-2.0
// Implements aten::arange by calling other operators, and computes its length.
#include "kernels/ops/factories/arange.h"

#include <cmath>

#include "kernels/common/allocation.h"
#include "kernels/common/overlap.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {
namespace {

using StartOut = void(const Scalar&, const Scalar&, const Scalar&, const Tensor&);
constinit const LazyOp<StartOut> start_out("aten::arange.start_out");

Tensor made_arange(const Call& call, const Scalar& start, const Scalar& end, const Scalar& step) {
  const bool floating = start.is_float() || end.is_float() || step.is_float();
  FactoryOptions options = options_of(call);
  if (!options.dtype) options.dtype = floating ? default_dtype() : Dtype::I64;
  const int64_t length = arange_length("aten::arange", start, end, step, *options.dtype);
  Tensor result = call_empty(Dims{length}, options);
  start_out(start, end, step, result);
  return result;
}

}  // namespace

void check_arange_out(const Tensor& out, int64_t length) {
  constexpr const char* kOp = "aten::arange.start_out";
  check_not_read_only(kOp, "out", out.info());
  if (out.numel() != length) resize_out(kOp, out, {&length, 1});
  check_no_internal_overlap(kOp, out.info());
}

int64_t arange_length(const char* op, const Scalar& start, const Scalar& end, const Scalar& step,
                      Dtype dtype) {
  check_dtype(op, "dtype", dtype, RealTypes());
  for (const Scalar* number : {&start, &end, &step}) {
    if (number->is_complex()) fail_argument(op, "start, end and step", "real numbers", *number);
  }
  const double first = start.to_double();
  const double last = end.to_double();
  const double by = step.to_double();
  if (by == 0) fail_argument(op, "step", "nonzero", step);
  if (!std::isfinite(first) || !std::isfinite(last)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": start and end must be finite, got ", start, " and ", end});
  }
  if (by > 0 ? last < first : last > first) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": step must lead from start to end, got ", step, " from ", start, " to ", end});
  }
  double length;
  const bool floating = start.is_float() || end.is_float() || step.is_float();
  if (is_integral(dtype)) {  // elements are computed in int64
    checked_element_of<int64_t>(op, "start", start);
    checked_element_of<int64_t>(op, "step", step);
  }
  if (dtype == Dtype::I64 && !floating) {
    // Computed in integers, since numbers may exceed 2^53.
    const int64_t whole_first = start.to_int();
    const int64_t whole_last = end.to_int();
    const int64_t whole_by = step.to_int();
    const int64_t sign = (whole_by > 0) - (whole_by < 0);
    int64_t span = 0;
    // The quotient of the smallest int64 and -1 does not fit either.
    if (__builtin_sub_overflow(whole_last, whole_first, &span) ||
        __builtin_add_overflow(span, whole_by - sign, &span) ||
        (span == INT64_MIN && whole_by == -1)) {
      fail_argument(op, "end", "close enough to start that the length fits into an int64", end);
    }
    return span / whole_by;
  }
  length = std::ceil((last - first) / by);
  if (!(length >= 0 && length <= 0x1.0p62)) {
    fail_argument(op, "step", "large enough for the length to fit into an int64", step);
  }
  return static_cast<int64_t>(length);
}

namespace ops {

void arange(const Call& call) {
  const auto end = call.get<Scalar>(0);
  if (call.form.is_out()) {
    start_out(Scalar(0), end, Scalar(1), call.get<Tensor>(1));
  } else {
    call.give(0, made_arange(call, Scalar(0), end, Scalar(1)));
  }
}

void arange_start(const Call& call) {
  call.give(0, made_arange(call, call.get<Scalar>(0), call.get<Scalar>(1), Scalar(1)));
}

void arange_step(const Call& call) {
  call.give(0, made_arange(call, call.get<Scalar>(0), call.get<Scalar>(1), call.get<Scalar>(2)));
}

void arange_out_meta(const Call& call) {
  const auto out = call.get<Tensor>(3);
  check_arange_out(out, arange_length(call.op(), call.get<Scalar>(0), call.get<Scalar>(1),
                                      call.get<Scalar>(2), out->dtype()));
}

}  // namespace ops

}  // namespace tenon::kernels
