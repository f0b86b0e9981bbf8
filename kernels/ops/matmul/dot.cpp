// SPDX-License-Identifier: Apache-2.0
// Implements aten::dot, aten::vdot, aten::inner and aten::linalg_vecdot by calling other operators.
#include "kernels/ops/matmul/dot.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

void check_vectors(const Call& call, const Tensor& self, const Tensor& other) {
  if (self.ndim() != 1)
    fail_argument(call.op(), "self", "a vector (1 dim)", text_of(words_of(self)));
  if (other.ndim() != 1 || !(word_along(other, 0) == word_along(self, 0))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": ", call.form.names[1], " must be a vector of as many elements as self, ",
          text_of(words_of(self)), ", got ", text_of(words_of(other))});
  }
  check_dtype_of(call.op(), call.form.names[1], other.dtype(), "self", self.dtype());
}

Tensor product_of_rows(const Tensor& self, const Tensor& other) {
  return call_reshape(call_mm(call_unsqueeze(self, 0), call_unsqueeze(other, 1)), Dims{});
}

}  // namespace

void dot(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), other = *call.get<Tensor>(1);
  check_vectors(call, self, other);
  call.give(0, product_of_rows(self, other));
}

void vdot(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), other = *call.get<Tensor>(1);
  check_vectors(call, self, other);
  call.give(0, product_of_rows(is_complex(self.dtype()) ? call_conj(self) : self, other));
}

void inner(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), other = *call.get<Tensor>(1);
  if (self.ndim() == 0 || other.ndim() == 0) return call.give(0, call_mul(self, other));
  SymbolicDims sizes = words_of(self), of_other = words_of(other);
  const SymbolicSize last = sizes.back();
  if (!(last == of_other.back())) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self and other must have the same last size, got sizes ", text_of(sizes),
          " and ", text_of(of_other)});
  }
  sizes.erase(sizes.size() - 1);
  of_other.erase(of_other.size() - 1);
  const SymbolicSize rows = product_of(sizes), columns = product_of(of_other);
  for (const SymbolicSize size : of_other) sizes.push_back(size);
  const Tensor flat = call_reshape(other, SymbolicDims{columns, last});
  const Tensor product =
      call_mm(call_reshape(self, SymbolicDims{rows, last}), call_transpose(flat, 0, 1));
  call.give(0, call_reshape(product, sizes));
}

void linalg_vecdot(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), other = *call.get<Tensor>(1);
  check_inexact(call.op(), call.form.names[0], self.dtype());
  check_dtype_of(call.op(), call.form.names[1], other.dtype(), call.form.names[0], self.dtype());
  const SymbolicDims sizes = broadcast_words(call.op(), words_of(self), words_of(other));
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), sizes.size());
  const Tensor first = is_complex(self.dtype()) ? call_conj(self) : self;
  const Tensor a = call_movedim(call_expand(first, sizes), dim, -1);
  const Tensor b = call_movedim(call_expand(other, sizes), dim, -1);
  call.give(
      0, call_squeeze(call_squeeze(call_matmul(call_unsqueeze(a, -2), call_unsqueeze(b, -1)), -1),
                      -1));
}

}  // namespace tenon::kernels::ops
