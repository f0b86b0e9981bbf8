// SPDX-License-Identifier: Apache-2.0
// Argument checks and result of aten::poisson.
#include "kernels/ops/random/poisson.h"

#include "kernels/common/overlap.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels {

Tensor poisson_result(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_defined(call.op(), "self", self);
  const Dtype dtype = dtype_of_info(self);
  check_floating(call.op(), "self", dtype);
  check_written_apart(call, self);
  return result_for(call, sizes_of(self), dtype, Device(self.device));
}

namespace ops {

void poisson_meta(const Call& call) {
  Tensor result = poisson_result(call);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace ops

}  // namespace tenon::kernels
