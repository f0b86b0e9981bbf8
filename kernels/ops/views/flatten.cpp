// SPDX-License-Identifier: Apache-2.0
// Implements aten::flatten by calling other operators.
#include "kernels/ops/views/flatten.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

void flatten(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const int64_t first = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim());
  const int64_t last = wrap_dim(call.op(), call.get<int64_t>(2), self.ndim());
  if (last < first) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": end_dim must not be before start_dim, got ",
                                        call.get<int64_t>(2), " and ", call.get<int64_t>(1)});
  }
  if (self.ndim() > 0 && first == last) return call.give(0, self);
  SymbolicDims sizes = words_of(self);
  SymbolicSize joined = 1;
  for (int64_t dim = last; dim >= first && !sizes.empty(); --dim) {
    joined *= sizes[dim];
    sizes.erase(dim);
  }
  sizes.insert(first, joined);
  call.give(0, call_reshape(self, sizes));
}

void unflatten(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim());
  const SymbolicDims given = sizes_argument(call, 2);
  if (given.empty()) fail_argument(call.op(), "sizes", "have at least one size", "none");
  if (self.ndim() == 0) fail_argument(call.op(), "self", "have at least 1 dim", "a 0-dim tensor");
  const SymbolicDims parts = inferred_sizes(call.op(), given, word_along(self, dim));
  SymbolicDims sizes = words_of(self);
  sizes.erase(dim);
  for (int64_t i = 0; i < parts.size(); ++i) sizes.insert(dim + i, parts[i]);
  call.give(0, call_view(self, sizes));
}

}  // namespace tenon::kernels::ops
