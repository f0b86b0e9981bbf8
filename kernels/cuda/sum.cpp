// SPDX-License-Identifier: Apache-2.0
// aten::sum on CUDA: float16 and bfloat16 add up in float32, integers in int64.
#include "kernels/ops/sum.h"

#include "kernels/cuda/operands.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/registrations.h"
#include "kernels/cuda/runtime.h"

namespace tenon::kernels::cuda {
namespace {

Tensor sum_dim(const Tensor& self, std::optional<Sizes> dim, bool keepdim,
               std::optional<Dtype> dtype) {
  Reduction plan("aten::sum.dim_IntList");
  plan.input(self, dim);
  const Dtype result = sum_dtype(self.dtype(), dtype);
  check_dtype(plan.op(), "dtype", result, NumberTypes());
  plan.finish(result, keepdim);
  const Device device = self.device();
  const DeviceGuard guard(device.index);
  const Tensor input =
      self.dtype() == result
          ? self
          : to_device(self, device, result, preserving_strides(self.sizes(), self.strides()));
  plan.walk_over(input.info(), false);
  launch_sum(static_cast<int32_t>(result), strided(plan.kept(), 2), strided(plan.folded(), 1),
             current_stream(device));
  return plan.take_result();
}

Tensor sum(const Tensor& self, std::optional<Dtype> dtype) {
  return sum_dim(self, std::nullopt, false, dtype);
}

}  // namespace

void register_sum(Library& aten) {
  aten.impl("sum", TENON_KEY_CUDA, &sum, {.name = "cuda::sum"});
  aten.impl("sum.dim_IntList", TENON_KEY_CUDA, &sum_dim, {.name = "cuda::sum_dim"});
}

}  // namespace tenon::kernels::cuda
