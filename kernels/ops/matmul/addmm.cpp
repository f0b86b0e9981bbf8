// SPDX-License-Identifier: Apache-2.0
// Implements aten::addmm by calling other operators.
#include "kernels/ops/matmul/addmm.h"

#include "kernels/common/call.h"
#include "kernels/common/check.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

using ProductCall = Tensor(const Tensor&, const Tensor&);
using Scale = void(const Tensor&, const Scalar&);
using Sum = void(const Tensor&, const Tensor&, const Scalar&);

constinit const LazyOp<ProductCall> call_mm("aten::mm");
constinit const LazyOp<Scale> scale("aten::mul_.Scalar");
constinit const LazyOp<Sum> sum("aten::add_.Tensor");

void check_factors(const char* op, const Tensor& mat1, const Tensor& mat2) {
  if (mat1.ndim() != 2) fail_argument(op, "mat1", "a matrix", mat1.sizes());
  if (mat2.ndim() != 2) fail_argument(op, "mat2", "a matrix", mat2.sizes());
  if (mat1.sizes()[1] != mat2.sizes()[0]) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": mat2 must have as many rows as mat1 has columns, got sizes ", mat1.sizes(),
          " and ", mat2.sizes()});
  }
}

void check_term(const char* op, const Tensor& self, const Tensor& result) {
  if (self.dtype() != result.dtype()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": self must be ", result.dtype(), " like mat1 and mat2, got ", self.dtype()});
  }
  const int32_t extra = 2 - self.ndim();
  bool fits = extra >= 0;
  for (int32_t dim = 0; fits && dim < self.ndim(); ++dim) {
    const int64_t size = self.sizes()[dim];
    fits = size == 1 || size == result.sizes()[dim + extra];
  }
  if (!fits) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": self must broadcast to the product's sizes ",
                                        result.sizes(), ", got ", self.sizes()});
  }
}

}  // namespace

void addmm(const Call& call) {
  Tensor self = *call.get<Tensor>(0);
  const Tensor mat1 = *call.get<Tensor>(1);
  const Tensor mat2 = *call.get<Tensor>(2);
  const auto beta = call.get<Scalar>(3);
  const auto alpha = call.get<Scalar>(4);
  check_factors(call.op(), mat1, mat2);
  Tensor result = call_mm(mat1, mat2);
  check_term(call.op(), self, result);
  if (alpha.to_complex() != 1.0) scale(result, alpha);
  // If beta is 0, self is ignored: infinities and NaN in it do not propagate.
  if (beta.to_bool()) sum(result, self, beta);
  if (call.form.written != 0) return call.give(0, std::move(result));
  if (!(self.sizes() == result.sizes())) {
    fail_argument(call.op(), "self", "have the sizes of the product to be written in place",
                  self.sizes());
  }
  call_copy(self, result);
}

}  // namespace tenon::kernels::ops
