// SPDX-License-Identifier: Apache-2.0
// Implements aten::equal by calling other operators.
#include "kernels/ops/logic/equal.h"

#include "kernels/common/call.h"
#include "kernels/common/check.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

void equal(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> ne("aten::ne.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Dtype>)> sum("aten::sum");
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  const Tensor self = *call.get<Tensor>(0);
  const Tensor other = *call.get<Tensor>(1);
  if (self.dtype() != other.dtype()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": other must be ", self.dtype(), " like self, got ", other.dtype()});
  }
  bool same = are_equal(words_of(self), words_of(other));
  if (same && !(numel_word(self) == 0)) {
    same = !is_known_true(item(sum(ne(self, other), std::nullopt)));
  }
  call.results[0] = tenon_value_of_bool(same);
}

}  // namespace tenon::kernels::ops
