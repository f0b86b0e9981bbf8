// SPDX-License-Identifier: Apache-2.0
// Decides when aten::contiguous copies.
#include "kernels/ops/copy/contiguous.h"

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

void contiguous(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<MemoryFormat>)> clone(
      "aten::clone");
  const auto self = call.get<Tensor>(0);
  const auto format = call.get<MemoryFormat>(1);
  if (format == MemoryFormat::Preserve) {
    fail_argument(call.op(), "memory_format", "contiguous or channels last", "preserve");
  }
  const bool stays = has_memory_format(call.op(), self->info(), format);
  call.give(0, stays ? Tensor::retain(self->get()) : clone(self, format));
}

}  // namespace tenon::kernels::ops
