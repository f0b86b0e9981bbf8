// SPDX-License-Identifier: Apache-2.0
// Implements aten::complex and aten::polar by calling other operators.
#include "kernels/ops/complex/polar.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

void check_parts(const Call& call, const Tensor& a, const Tensor& b) {
  const Dtype dtype = a.dtype();
  if (dtype != Dtype::F32 && dtype != Dtype::F64)
    fail_dtype(call.op(), call.form.names[0], dtype, "float32, float64");
  check_dtype_of(call.op(), call.form.names[1], b.dtype(), call.form.names[0], dtype);
}

Tensor of_parts(const Call& call, const Tensor& real, const Tensor& imag) {
  static constinit const LazyOp<Tensor(const Tensor&)> pairs("aten::view_as_complex");
  const SymbolicDims sizes = broadcast_words(call.op(), words_of(real), words_of(imag));
  return pairs(call_stack({call_expand(real, sizes), call_expand(imag, sizes)}, -1));
}

}  // namespace

void complex_of_parts(const Call& call) {
  const Tensor real = *call.get<Tensor>(0), imag = *call.get<Tensor>(1);
  check_parts(call, real, imag);
  call.give(0, of_parts(call, real, imag));
}

void polar(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> cosine("aten::cos"), sine("aten::sin");
  const Tensor size = *call.get<Tensor>(0), angle = *call.get<Tensor>(1);
  check_parts(call, size, angle);
  call.give(0, of_parts(call, call_mul(size, cosine(angle)), call_mul(size, sine(angle))));
}

}  // namespace tenon::kernels::ops
