// SPDX-License-Identifier: Apache-2.0
// aten::random_ on CUDA: integers from a range.
#include "kernels/ops/random/random.h"

#include "kernels/cuda/loops/operands.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/random/draw.h"
#include "kernels/cuda/runtime.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

void random_(const Call& call) {
  const Drawn drawn = drawn_by(call);
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  if (self.numel == 0) return;
  const DeviceGuard guard(self.device.index);
  const PhiloxOffset place = place_of(call, call.form.arguments - 1, self, drawn.is_wide);
  launch_integers(call.op(), self.dtype, strided_pair(self, self), drawn.first, drawn.count,
                  drawn.is_wide, place, current_stream(Device(self.device)));
}

}  // namespace

Operator operator_kRandomInPlace() { return routine_of<ops::kRandomInPlace, &random_>(); }
Operator operator_kRandomFromInPlace() { return routine_of<ops::kRandomFromInPlace, &random_>(); }
Operator operator_kRandomToInPlace() { return routine_of<ops::kRandomToInPlace, &random_>(); }

}  // namespace tenon::kernels::cuda
