// SPDX-License-Identifier: Apache-2.0
// Implements aten::narrow by calling other operators.
#include "kernels/ops/views/narrow.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

void narrow(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  if (self.ndim() == 0) {
    fail_argument(call.op(), "self", "have at least 1 dim", "a 0-dim tensor");
  }
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim());
  const SymbolicSize size = word_along(self, dim), least = SymbolicSize(0) - size;
  const SymbolicSize start = size_argument(call, 2), length = size_argument(call, 3);
  if (length < 0) fail_argument(call.op(), "length", "at least 0", text_of(length));
  if (start < least || start > size) {
    fail(TENON_ERROR_INDEX,
         {call.op(), ": start must be in [", text_of(least), ", ", text_of(size), "] for size ",
          text_of(size), " of dim ", dim, ", got ", text_of(start)});
  }
  const SymbolicSize first = start < 0 ? start + size : start;
  if (length > size - first) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": start + length must be at most ", text_of(size), ", the size of dim ", dim,
          ", got ", text_of(first), " + ", text_of(length)});
  }
  call.give(0, call_slice(self, dim, first, first + length));
}

}  // namespace tenon::kernels::ops
