// SPDX-License-Identifier: Apache-2.0
// What aten::narrow calls.
#include "kernels/ops/narrow.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels::ops {

void narrow(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  if (self.ndim() == 0) {
    fail_argument(call.op(), "self", "of 1 dim at least", "a 0-dim tensor");
  }
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim());
  const int64_t size = self.sizes()[static_cast<size_t>(dim)];
  const auto start = call.get<int64_t>(2);
  const auto length = call.get<int64_t>(3);
  if (length < 0) fail_argument(call.op(), "length", "at least 0", length);
  if (start < -size || start > size) {
    fail(TENON_ERROR_INDEX, {call.op(), ": start must be in [", -size, ", ", size, "] for size ",
                             size, " of dim ", dim, ", got ", start});
  }
  const int64_t first = start < 0 ? start + size : start;
  if (length > size - first) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": start + length must be at most ", size,
                                        ", the size of dim ", dim, ", got ", first + length});
  }
  call.give(0, call_slice(self, dim, first, first + length));
}

}  // namespace tenon::kernels::ops
