// SPDX-License-Identifier: Apache-2.0
// Implements aten::linspace and aten::logspace by calling other operators.
#include "kernels/ops/factories/linspace.h"

#include "kernels/common/allocation.h"
#include "kernels/common/overlap.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels {

namespace {

// Returns the call's `out`, resized unless it has this number of elements.
Tensor linspace_out(const Call& call, int64_t steps) {
  Tensor out = Tensor::retain(call.written());
  check_writable(call, out.info());
  check_dtype(call.op(), "out", out.dtype(), NumberTypes());
  if (out.numel() != steps) resize_out(call.op(), out, {&steps, 1});
  check_no_internal_overlap(call.op(), out.info());
  return out;
}

}  // namespace

Tensor linspace_result(const Call& call) {
  const auto steps = call.get<int64_t>(2);
  if (steps < 0) fail_argument(call.op(), "steps", ">= 0", steps);
  return linspace_out(call, steps);
}

namespace ops {
namespace {

// Returns a number, or the element of a 0-dim tensor.
Scalar number_of(const Call& call, int k) {
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  if (call.args[k].tag != TENON_TAG_TENSOR) return call.get<Scalar>(k);
  const Tensor tensor = *call.get<Tensor>(k);
  if (tensor.ndim() != 0)
    fail_argument(call.op(), call.form.names[k], "have 0 dims", tensor.sizes());
  return item(tensor);
}

// Returns a new tensor with the numbers of a call.
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

// Returns the options of the computed tensor, or of an `out` if there is one.
FactoryOptions options_for(const Call& call) {
  FactoryOptions options = options_of(call);
  if (call.form.is_out()) options = options_like(TensorRef(call.written())->info(), options);
  for (int k = 0; k < 2; ++k) {
    const bool is_tensor = call.args[k].tag == TENON_TAG_TENSOR;
    const Dtype dtype =
        is_tensor ? TensorRef(call.tensor(k))->dtype() : call.get<Scalar>(k).dtype();
    if (!options.dtype && is_complex(dtype)) options.dtype = to_complex(default_dtype());
  }
  if (!options.dtype) options.dtype = default_dtype();
  return options;
}

// Returns the numbers, or writes them to the call's `out`, which keeps its sizes if it has the
// right number of elements.
void give_line(const Call& call, Tensor line) {
  if (call.form.is_functional()) return call.give(0, std::move(line));
  Tensor out = linspace_out(call, line.numel());
  call_copy(out, call_reshape(line, out.sizes()));
}

}  // namespace

void linspace_meta(const Call& call) { linspace_result(call); }

void linspace(const Call& call) { call.give(0, spaced(call, options_for(call))); }

void linspace_of_tensors(const Call& call) { give_line(call, spaced(call, options_for(call))); }

void logspace(const Call& call) {
  static constinit const LazyOp<Tensor(const Scalar&, const Tensor&)> power("aten::pow.Scalar");
  FactoryOptions options = options_for(call);
  const Dtype dtype = *options.dtype;
  if (is_bool_or_integral(dtype)) options.dtype = Dtype::F64;
  const Tensor powers = power(Scalar(call.get<double>(3)), spaced(call, options));
  give_line(call, powers.dtype() == dtype ? powers : cast(powers, dtype));
}

}  // namespace ops

}  // namespace tenon::kernels
