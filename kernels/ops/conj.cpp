// SPDX-License-Identifier: Apache-2.0
// What aten::conj calls.
#include "kernels/ops/conj.h"

#include "kernels/common/call.h"

namespace tenon::kernels::ops {

void conj(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> conj_physical("aten::conj_physical");
  const auto self = call.get<Tensor>(0);
  call.give(0, is_complex(self->dtype()) ? conj_physical(self) : *self);
}

}  // namespace tenon::kernels::ops
