// SPDX-License-Identifier: Apache-2.0
// Implements aten::chunk by calling other operators.
#include "kernels/ops/views/chunk.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {

void chunk(const Call& call) {
  static constinit const LazyOp<std::vector<Tensor>(const Tensor&, int64_t, int64_t)> split(
      "aten::split.Tensor");
  static constinit const LazyOp<std::vector<Tensor>(const Tensor&, Sizes, int64_t)>
      split_with_sizes("aten::split_with_sizes");
  const auto self = call.get<Tensor>(0);
  const auto chunks = call.get<int64_t>(1);
  if (self->ndim() == 0) {
    fail_argument(call.op(), "self", "have at least 1 dim", "a 0-dim tensor");
  }
  if (chunks <= 0) fail_argument(call.op(), "chunks", "greater than 0", chunks);
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), self->ndim());
  const int64_t whole = self->sizes()[static_cast<size_t>(dim)];
  if (whole == 0) {
    // An empty tensor yields exactly `chunks` empty tensors.
    constexpr int64_t kMost = UINT32_MAX;  // maximum length of a list
    if (chunks > kMost)
      fail_argument(call.op(), "chunks", "at most " + std::to_string(kMost), chunks);
    const std::vector<int64_t> parts(static_cast<size_t>(chunks), 0);
    return call.give(0, split_with_sizes(self, parts, dim));
  }
  call.give(0, split(self, whole / chunks + (whole % chunks != 0 ? 1 : 0), dim));
}

}  // namespace tenon::kernels::ops
