// SPDX-License-Identifier: Apache-2.0
// Implements aten::kron by calling other operators.
#include "kernels/ops/matmul/kron.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void kron(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), other = *call.get<Tensor>(1);
  const int64_t rank = std::max(self.ndim(), other.ndim());
  Dims a, b, sizes;
  for (int64_t k = 0; k < rank; ++k) {
    const int64_t missing_a = rank - self.ndim(), missing_b = rank - other.ndim();
    const int64_t of_a = k < missing_a ? 1 : self.size(k - missing_a);
    const int64_t of_b = k < missing_b ? 1 : other.size(k - missing_b);
    a.push_back(of_a);
    a.push_back(1);
    b.push_back(1);
    b.push_back(of_b);
    sizes.push_back((CheckedSize(call.op(), of_a) * of_b).value());
  }
  call.give(0, call_reshape(call_mul(call_reshape(self, a), call_reshape(other, b)), sizes));
}

}  // namespace tenon::kernels::ops
