// SPDX-License-Identifier: Apache-2.0
// Implements aten::aminmax by calling other operators.
#include "kernels/ops/reductions/aminmax.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

void aminmax(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const auto dim = call.get<std::optional<int64_t>>(1);
  const auto keepdim = call.get<bool>(2);
  Dims dims;
  if (dim) dims.push_back(wrap_dim(call.op(), *dim, self.ndim()));
  if (!dim && numel_word(self) == 0) {
    fail_argument(call.op(), "self", "have at least 1 element where no dim is given", self.sizes());
  }
  call.give(0, call_amin(self, dims, keepdim));
  call.give(1, call_amax(self, dims, keepdim));
}

}  // namespace tenon::kernels::ops
