// SPDX-License-Identifier: Apache-2.0
// aten::empty on CUDA.
#include "kernels/ops/factories/empty.h"

#include "kernels/cuda/provider.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

void empty(const Call& call) {
  const FactoryOptions options = options_of(call);
  call.give(0, empty_on(settled(options.device.value_or(Device(TENON_DEVICE_CUDA, -1))),
                        call.get<Sizes>(0), options, call.get<std::optional<MemoryFormat>>(5)));
}

}  // namespace

Operator operator_kEmpty() { return routine_of<ops::kEmpty, &empty>(); }

}  // namespace tenon::kernels::cuda
