// SPDX-License-Identifier: Apache-2.0
// aten::add.Tensor and aten::mul.Tensor on CUDA.
#include "kernels/ops/binary.h"

#include "kernels/cuda/operands.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/registrations.h"
#include "kernels/cuda/runtime.h"

namespace tenon::kernels::cuda {
namespace {

using Types = Joined<BoolType, NumberTypes>;

// Casts inputs, and moves 0-dim CPU tensors over, where the walk asks for it; runs `launch`.
template <class Launch>
void run(Elementwise& plan, const Tensor& self, const Tensor& other, Launch&& launch) {
  const tenon_tensor_info output = plan.output_info();
  check_dtype(plan.op(), "self", plan.dtype(), Types());
  const DeviceGuard guard(output.device.index);
  const Tensor* inputs[2] = {&self, &other};
  Tensor temporaries[2];
  for (int k = 0; k < 2; ++k) {
    if (!plan.needs_cast(k) && Device(plan.input_info(k).device) == Device(output.device)) continue;
    temporaries[k] =
        to_device(*inputs[k], output.device, plan.input_dtype(k), plan.cast_strides(k));
    plan.walk().set_data(k + 1, temporaries[k].raw_data());
  }
  launch(static_cast<int32_t>(plan.dtype()), strided(plan.walk(), 3),
         current_stream(output.device));
}

Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  Elementwise plan(kAdd.tensor);
  plan_binary(plan, kAdd, self, other, Output::allocate(), &alpha);
  run(plan, self, other, [&](int32_t dtype, const Strided& walk, Stream stream) {
    launch_add(dtype, walk, number_of(alpha), stream);
  });
  return plan.take_result();
}

Tensor mul(const Tensor& self, const Tensor& other) {
  Elementwise plan(kMul.tensor);
  plan_binary(plan, kMul, self, other, Output::allocate());
  run(plan, self, other, &launch_mul);
  return plan.take_result();
}

}  // namespace

void register_binary(Library& aten) {
  aten.impl("add.Tensor", TENON_KEY_CUDA, &add, {.name = "cuda::add"});
  aten.impl("mul.Tensor", TENON_KEY_CUDA, &mul, {.name = "cuda::mul"});
}

}  // namespace tenon::kernels::cuda
