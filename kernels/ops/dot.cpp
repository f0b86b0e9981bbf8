// SPDX-License-Identifier: Apache-2.0
// What aten::dot, aten::vdot, aten::inner and aten::linalg_vecdot call.
#include "kernels/ops/dot.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {
namespace {

void check_vectors(const Call& call, const Tensor& self, const Tensor& other) {
  if (self.ndim() != 1) fail_argument(call.op(), "self", "a vector (1 dim)", self.sizes());
  if (other.ndim() != 1 || other.size(0) != self.size(0)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": ", call.form.names[1], " must be a vector of as many elements as self, ",
          self.sizes(), ", got ", other.sizes()});
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
  if (self.size(-1) != other.size(-1)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self and other must have the same last size, got sizes ", self.sizes(),
          " and ", other.sizes()});
  }
  const int64_t last = self.size(-1);
  Dims sizes(self.sizes().first(self.sizes().size() - 1));
  const int64_t rows = numel_of(sizes);
  Dims of_other(other.sizes().first(other.sizes().size() - 1));
  const int64_t columns = numel_of(of_other);
  for (const int64_t size : of_other) sizes.push_back(size);
  const Tensor product = call_mm(call_reshape(self, Dims{rows, last}),
                                 call_transpose(call_reshape(other, Dims{columns, last}), 0, 1));
  call.give(0, call_reshape(product, sizes));
}

void linalg_vecdot(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), other = *call.get<Tensor>(1);
  check_inexact(call.op(), call.form.names[0], self.dtype());
  check_dtype_of(call.op(), call.form.names[1], other.dtype(), call.form.names[0], self.dtype());
  const Dims sizes = broadcast(call.op(), self.sizes(), other.sizes());
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), sizes.size());
  const Tensor first = is_complex(self.dtype()) ? call_conj(self) : self;
  const Tensor a = call_movedim(call_expand(first, sizes), dim, -1);
  const Tensor b = call_movedim(call_expand(other, sizes), dim, -1);
  call.give(
      0, call_squeeze(call_squeeze(call_matmul(call_unsqueeze(a, -2), call_unsqueeze(b, -1)), -1),
                      -1));
}

}  // namespace tenon::kernels::ops
