// SPDX-License-Identifier: Apache-2.0
// Implements aten::clone by calling other operators.
#include "kernels/ops/copy/clone.h"

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

void clone(const Call& call) {
  const auto self = call.get<Tensor>(0);
  const tenon_tensor_info info = self->info();
  const auto format = call.get<std::optional<MemoryFormat>>(1);
  Tensor result = empty_in_format(call.op(), info, format.value_or(MemoryFormat::Preserve),
                                  options_like(info, {}));
  call_copy(result, self);
  call.give(0, std::move(result));
}

}  // namespace tenon::kernels::ops
