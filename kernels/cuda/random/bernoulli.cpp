// SPDX-License-Identifier: Apache-2.0
// aten::bernoulli_ on CUDA. The probabilities in a tensor are not checked, because that would wait
// for the device. Invalid probabilities yield ones if they are above 1, and zeros otherwise.
#include "kernels/ops/random/bernoulli.h"

#include "kernels/cuda/loops/operands.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/random/draw.h"
#include "kernels/cuda/runtime.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

void bernoulli_of_number(const Call& call) {
  ops::check_bernoulli(call);
  draw(call, 2, Distribution::Bernoulli, call.get<double>(1));
}

void bernoulli_of_tensor(const Call& call) {
  ops::check_bernoulli_tensor(call);
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  if (self.numel == 0) return;
  const DeviceGuard guard(self.device.index);
  const Tensor given = *call.get<Tensor>(1);
  const Tensor p = given.device() == Device(self.device)
                       ? given
                       : to_device(given, Device(self.device), given.dtype(), given.strides());
  const PhiloxOffset place = place_of(call, 2, self, p.dtype() == Dtype::F64);
  launch_bernoulli(call.op(), self.dtype, static_cast<int32_t>(p.dtype()),
                   strided_pair(self, p.info()), place, current_stream(Device(self.device)));
}

}  // namespace

Operator operator_kBernoulliFloatInPlace() {
  return routine_of<ops::kBernoulliFloatInPlace, &bernoulli_of_number>();
}
Operator operator_kBernoulliTensorInPlace() {
  return routine_of<ops::kBernoulliTensorInPlace, &bernoulli_of_tensor>();
}

}  // namespace tenon::kernels::cuda
