// SPDX-License-Identifier: Apache-2.0
// Implements aten::unbind by calling other operators.
#include "kernels/ops/views/unbind.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {

void unbind(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> select("aten::select.int");
  const auto self = call.get<Tensor>(0);
  if (self->ndim() == 0) {
    fail(TENON_ERROR_INDEX, {call.op(), ": self must have at least 1 dim, got a 0-dim tensor"});
  }
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), self->ndim());
  const int64_t count = self->sizes()[static_cast<size_t>(dim)];
  constexpr int64_t kMost = UINT32_MAX;  // maximum length of a list
  if (count > kMost) {
    fail_argument(call.op(), "self",
                  "have at most " + std::to_string(kMost) + " elements along dim", count);
  }
  std::vector<Tensor> views;
  views.reserve(static_cast<size_t>(count));
  for (int64_t index = 0; index < count; ++index) views.push_back(select(self, dim, index));
  call.give(0, views);
}

}  // namespace tenon::kernels::ops
