// SPDX-License-Identifier: Apache-2.0
// aten::arange: start, start + step, start + 2 step and so on, without end.
#include "kernels/ops/arange.h"

#include <cmath>

#include "kernels/common/allocation.h"
#include "kernels/ops/factory.h"

namespace tenon::kernels {
namespace {

Tensor arange_start_step(const Scalar& start, const Scalar& end, const Scalar& step,
                         std::optional<Dtype> dtype, std::optional<Layout> layout,
                         std::optional<Device> device, std::optional<bool> pin_memory) {
  const bool floating = start.is_float() || end.is_float() || step.is_float();
  const Dtype result_dtype = dtype.value_or(floating ? default_dtype() : Dtype::I64);
  const int64_t length = arange_length("aten::arange", start, end, step, result_dtype);
  Tensor result = call_empty(Dims{length}, {result_dtype, layout, device, pin_memory});
  using Signature = void(const Scalar&, const Scalar&, const Scalar&, const Tensor&);
  static constinit const LazyOp<Signature> arange_out("aten::arange.start_out");
  arange_out(start, end, step, result);
  return result;
}

Tensor arange_start(const Scalar& start, const Scalar& end, std::optional<Dtype> dtype,
                    std::optional<Layout> layout, std::optional<Device> device,
                    std::optional<bool> pin_memory) {
  return arange_start_step(start, end, Scalar(1), dtype, layout, device, pin_memory);
}

Tensor arange(const Scalar& end, std::optional<Dtype> dtype, std::optional<Layout> layout,
              std::optional<Device> device, std::optional<bool> pin_memory) {
  return arange_start_step(Scalar(0), end, Scalar(1), dtype, layout, device, pin_memory);
}

Tensor& arange_out_meta(const Scalar& start, const Scalar& end, const Scalar& step, Tensor& out) {
  const int64_t length = arange_length("aten::arange.start_out", start, end, step, out.dtype());
  check_arange_out(out, length);
  return out;
}

}  // namespace

void check_arange_out(const Tensor& out, int64_t length) {
  constexpr const char* kOp = "aten::arange.start_out";
  if ((out.info().flags & TENON_TENSOR_READ_ONLY) != 0) {
    fail_argument(kOp, "out", "writable", "a read-only tensor");
  }
  if (out.numel() != length) resize_out(kOp, out, {&length, 1});
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
  if (by == 0) fail_argument(op, "step", "other than 0", step);
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
  if (dtype == Dtype::I64 && !floating) {
    // In integers, so that numbers beyond 2^53 count.
    const int64_t whole_first = start.to_int();
    const int64_t whole_last = end.to_int();
    const int64_t whole_by = step.to_int();
    const int64_t sign = (whole_by > 0) - (whole_by < 0);
    int64_t span = 0;
    if (__builtin_sub_overflow(whole_last, whole_first, &span) ||
        __builtin_add_overflow(span, whole_by - sign, &span)) {
      fail_argument(op, "end", "near enough to start for an int64", end);
    }
    return span / whole_by;
  }
  length = std::ceil((last - first) / by);
  if (!(length >= 0 && length <= 0x1.0p62)) {
    fail_argument(op, "step", "large enough for the length to fit into an int64", step);
  }
  return static_cast<int64_t>(length);
}

void register_arange(Library& aten) {
  const std::string options =
      "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
      "bool? pin_memory=None) -> Tensor";
  aten.def("arange(Scalar end, " + options);
  aten.impl("arange", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &arange, composite("arange"));
  aten.def("arange.start(Scalar start, Scalar end, " + options);
  aten.impl("arange.start", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &arange_start,
            composite("arange_start"));
  aten.def("arange.start_step(Scalar start, Scalar end, Scalar step=1, " + options, {"core"});
  aten.impl("arange.start_step", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &arange_start_step,
            composite("arange_start_step"));
  aten.def(
      "arange.start_out(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out) -> Tensor(a!)",
      {"out"});
  aten.impl("arange.start_out", TENON_KEY_META, &arange_out_meta, quick("arange_out_meta"));
}

}  // namespace tenon::kernels
