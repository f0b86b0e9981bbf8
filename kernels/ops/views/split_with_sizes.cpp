// SPDX-License-Identifier: Apache-2.0
// Implements aten::split_with_sizes by calling other operators.
#include "kernels/ops/views/split_with_sizes.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {
namespace {

// Refuses sizes that are not those of parts of the whole.
void check_parts(const char* op, Sizes parts, int64_t dim, int64_t whole) {
  int64_t sum = 0;
  for (const int64_t part : parts) {
    if (part < 0) fail_argument(op, "split_sizes", "at least 0", parts);
    if (__builtin_add_overflow(sum, part, &sum)) sum = INT64_MAX;
  }
  if (sum != whole) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": split_sizes must sum to ", whole, ", the size of dim ", dim, ", got ", parts});
  }
}

}  // namespace

void split_with_sizes(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<int64_t>,
                                       std::optional<int64_t>, int64_t)>
      slice("aten::slice.Tensor");
  const auto self = call.get<Tensor>(0);
  const auto parts = call.get<Sizes>(1);
  if (self->ndim() == 0) {
    fail_argument(call.op(), "self", "have at least 1 dim", "a 0-dim tensor");
  }
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), self->ndim());
  check_parts(call.op(), parts, dim, self->sizes()[static_cast<size_t>(dim)]);
  std::vector<Tensor> views;
  views.reserve(parts.size());
  int64_t start = 0;
  for (const int64_t part : parts) {
    views.push_back(slice(self, dim, start, start + part, 1));
    start += part;
  }
  call.give(0, views);
}

}  // namespace tenon::kernels::ops
