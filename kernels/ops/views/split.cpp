// SPDX-License-Identifier: Apache-2.0
// Implements aten::split by calling other operators.
#include "kernels/ops/views/split.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {

namespace {
constinit const LazyOp<std::vector<Tensor>(const Tensor&, Sizes, int64_t)> parts_of_sizes(
    "aten::split_with_sizes");
}

void split(const Call& call) {
  const auto self = call.get<Tensor>(0);
  const auto part = call.get<int64_t>(1);
  if (self->ndim() == 0) {
    fail_argument(call.op(), "self", "have at least 1 dim", "a 0-dim tensor");
  }
  if (part < 0) fail_argument(call.op(), "split_size", "at least 0", part);
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), self->ndim());
  const int64_t whole = self->sizes()[static_cast<size_t>(dim)];
  if (part == 0 && whole != 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": split_size must be greater than 0 for size ",
                                        whole, " of dim ", dim, ", got 0"});
  }
  const int64_t count = whole > 0 ? (whole - 1) / part + 1 : 1;
  if (count > UINT32_MAX) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": split_size must make at most ", int64_t{UINT32_MAX}, " parts of size ",
          whole, ", got ", part});
  }
  std::vector<int64_t> parts;
  parts.reserve(static_cast<size_t>(count));
  int64_t left = whole;
  for (; left > part; left -= part) parts.push_back(part);
  parts.push_back(left);
  call.give(0, parts_of_sizes(self, parts, dim));
}

void split_sizes(const Call& call) {
  call.give(0, parts_of_sizes(call.get<Tensor>(0), call.get<Sizes>(1), call.get<int64_t>(2)));
}

}  // namespace tenon::kernels::ops
