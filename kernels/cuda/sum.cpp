// SPDX-License-Identifier: Apache-2.0
// aten::sum on CUDA: float16 and bfloat16 add up in float32, integers in int64.
#include "kernels/ops/sum.h"

#include "kernels/common/fold.h"
#include "kernels/common/registrar.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/registrations.h"
#include "kernels/cuda/runtime.h"

namespace tenon::kernels::cuda {
namespace {

// Both sides of the launch have the result's dtype.
void run_sum(const FoldKernel&, Reduction& plan, const Call& call, tenon_dtype) {
  const Dtype result = plan.result_dtype(0);
  const tenon_tensor_info& info = plan.input_info();
  const Device device(info.device);
  const DeviceGuard guard(device.index);
  const Tensor self = *TensorRef(call.tensor(0));
  const Tensor input =
      plan.input_dtype() == result
          ? self
          : to_device(self, device, result, preserving_strides(sizes_of(info), strides_of(info)));
  plan.build_walks_over(input.info(), false);
  launch_sum(static_cast<int32_t>(result), strided(plan.kept(), 2), strided(plan.folded(), 1),
             current_stream(device));
}

constexpr FoldKernel kKernel{&run_sum};

}  // namespace

void register_sum(Library& aten) {
  implement(aten, TENON_KEY_CUDA, "cuda", ops::kSum, &kKernel, -1);
  implement(aten, TENON_KEY_CUDA, "cuda", ops::kSumDimIntList, &kKernel, -1);
}

}  // namespace tenon::kernels::cuda
