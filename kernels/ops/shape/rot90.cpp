// SPDX-License-Identifier: Apache-2.0
// Implements aten::rot90 by calling other operators.
#include "kernels/ops/shape/rot90.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels::ops {

namespace {

constinit const LazyOp<Tensor(const Tensor&, Sizes)> flipped("aten::flip");

void give_flipped(const Call& call, int64_t dim) {
  const Tensor self = *call.get<Tensor>(0);
  if (self.ndim() <= dim) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self must have ", dim + 1, " dims at least, got ", self.sizes()});
  }
  call.give(0, flipped(self, Dims{dim}));
}

}  // namespace

void rot90(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> transposed(
      "aten::transpose.int");
  const Tensor self = *call.get<Tensor>(0);
  const auto dims = call.get<Sizes>(2);
  if (dims.size() != 2) fail_argument(call.op(), "dims", "two dims", dims);
  if (self.ndim() < 2) fail_argument(call.op(), "self", "have at least 2 dims", self.sizes());
  const int64_t from = wrap_dim(call.op(), dims[0], self.ndim());
  const int64_t to = wrap_dim(call.op(), dims[1], self.ndim());
  if (from == to) fail_argument(call.op(), "dims", "two different dims", dims);
  const int64_t quarters = ((call.get<int64_t>(1) % 4) + 4) % 4;
  if (quarters == 0) return call.give(0, call_clone(self, MemoryFormat::Contiguous));
  if (quarters == 2) return call.give(0, flipped(self, Dims{from, to}));
  const Tensor turned = flipped(self, Dims{quarters == 1 ? to : from});
  call.give(0, transposed(turned, from, to));
}

void fliplr(const Call& call) { give_flipped(call, 1); }
void flipud(const Call& call) { give_flipped(call, 0); }

}  // namespace tenon::kernels::ops
