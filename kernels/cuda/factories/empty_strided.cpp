// SPDX-License-Identifier: Apache-2.0
// aten::empty_strided on CUDA.
#include "kernels/ops/factories/empty_strided.h"

#include "kernels/cuda/provider.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

void empty_strided(const Call& call) {
  const FactoryOptions options = options_of(call);
  call.give(0, empty_strided_on(settled(options.device.value_or(Device(TENON_DEVICE_CUDA, -1))),
                                call.get<Sizes>(0), call.get<Sizes>(1), options));
}

}  // namespace

Operator operator_kEmptyStrided() { return routine_of<ops::kEmptyStrided, &empty_strided>(); }

}  // namespace tenon::kernels::cuda
