// SPDX-License-Identifier: Apache-2.0
// What aten::linspace and aten::logspace call.
#include "kernels/ops/linspace.h"

#include "kernels/common/allocation.h"
#include "kernels/common/overlap.h"
#include "kernels/common/promotion.h"

namespace tenon::kernels {

Tensor linspace_result(const Call& call) {
  const Tensor out = *call.get<Tensor>(3);
  const auto steps = call.get<int64_t>(2);
  check_writable(call, out.info());
  if (steps < 0) fail_argument(call.op(), "steps", ">= 0", steps);
  check_dtype(call.op(), "out", out.dtype(), NumberTypes());
  if (out.numel() != steps) resize_out(call.op(), out, {&steps, 1});
  check_no_internal_overlap(call.op(), out.info());
  return out;
}

namespace ops {
namespace {

// A number, or the one of a 0-dim tensor.
Scalar number_of(const Call& call, int k) {
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  if (call.args[k].tag != TENON_TAG_TENSOR) return call.get<Scalar>(k);
  const Tensor tensor = *call.get<Tensor>(k);
  if (tensor.ndim() != 0) fail_argument(call.op(), call.form.names[k], "of 0 dims", tensor.sizes());
  return item(tensor);
}

// A new tensor with the numbers of a call.
Tensor spaced(const Call& call, const FactoryOptions& options) {
  static constinit const LazyOp<void(const Scalar&, const Scalar&, int64_t, const Tensor&)> fill(
      "aten::linspace.out");
  const auto steps = call.get<int64_t>(2);
  if (steps < 0) fail_argument(call.op(), "steps", ">= 0", steps);
  Tensor made = call_empty(Dims{steps}, options);
  for (int k = 0; k < 2; ++k) {
    if (call.args[k].tag == TENON_TAG_TENSOR && !has_data(call.get<Tensor>(k)->info())) return made;
  }
  fill(number_of(call, 0), number_of(call, 1), steps, made);
  return made;
}

FactoryOptions options_for(const Call& call) {
  FactoryOptions options = options_of(call);
  for (int k = 0; k < 2; ++k) {
    const bool is_tensor = call.args[k].tag == TENON_TAG_TENSOR;
    const Dtype dtype =
        is_tensor ? TensorRef(call.tensor(k))->dtype() : call.get<Scalar>(k).dtype();
    if (!options.dtype && is_complex(dtype)) options.dtype = to_complex(default_dtype());
  }
  if (!options.dtype) options.dtype = default_dtype();
  return options;
}

}  // namespace

void linspace_meta(const Call& call) { linspace_result(call); }

void linspace(const Call& call) { call.give(0, spaced(call, options_for(call))); }

void linspace_of_tensors(const Call& call) { call.give(0, spaced(call, options_for(call))); }

void logspace(const Call& call) {
  static constinit const LazyOp<Tensor(const Scalar&, const Tensor&)> power("aten::pow.Scalar");
  FactoryOptions options = options_for(call);
  const Dtype dtype = *options.dtype;
  if (is_bool_or_integral(dtype)) options.dtype = Dtype::F64;
  const Tensor powers = power(Scalar(call.get<double>(3)), spaced(call, options));
  call.give(0, powers.dtype() == dtype ? powers : cast(powers, dtype));
}

}  // namespace ops

}  // namespace tenon::kernels
