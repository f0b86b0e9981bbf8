// SPDX-License-Identifier: Apache-2.0
// Tensors with other sizes, and the dtype and device of an existing tensor.
#include "kernels/ops/factories/new_empty.h"

#include "kernels/common/allocation.h"

namespace tenon::kernels::ops {

namespace {

// Returns a new tensor with the sizes in argument 1, or the call's out, which is resized.
Tensor begin_new(const Call& call) {
  const auto sizes = call.get<Sizes>(1);
  if (call.form.is_functional()) {
    return call_empty(sizes, options_like(call.get<Tensor>(0)->info(), options_of(call)));
  }
  const Tensor out = Tensor::retain(call.written());
  check_writable(call, out.info());
  if (!std::ranges::equal(out.sizes(), sizes)) resize_out(call.op(), out, sizes);
  return out;
}

}  // namespace

void new_empty(const Call& call) { end_factory(call, begin_new(call)); }

void new_empty_strided(const Call& call) {
  const auto sizes = call.get<Sizes>(1), strides = call.get<Sizes>(2);
  if (call.form.is_functional()) {
    const FactoryOptions options = options_like(call.get<Tensor>(0)->info(), options_of(call));
    return call.give(0, call_empty_strided(sizes, strides, options));
  }
  const Tensor out = Tensor::retain(call.written());
  check_writable(call, out.info());
  if (!std::ranges::equal(out.sizes(), sizes)) {
    resize_out(call.op(), out, sizes, strides.data());
  }
}

void new_zeros(const Call& call) {
  Tensor made = begin_new(call);
  call_zero(made);
  end_factory(call, std::move(made));
}

void new_ones(const Call& call) {
  Tensor made = begin_new(call);
  call_fill(made, Scalar(1));
  end_factory(call, std::move(made));
}

void new_full(const Call& call) {
  Tensor made = begin_new(call);
  call_fill(made, call.get<Scalar>(2));
  end_factory(call, std::move(made));
}

}  // namespace tenon::kernels::ops
