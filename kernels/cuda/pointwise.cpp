// SPDX-License-Identifier: Apache-2.0
// Launches the kernel of a pointwise plan; what has another dtype, or is on the CPU, goes through
// temporaries.
#include "kernels/cuda/pointwise.h"

#include "kernels/common/pointwise.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/runtime.h"
#include "kernels/ops/factory.h"

namespace tenon::kernels::cuda {
namespace {

Launch launch_of(const PointwiseKernel& kernel, const Call& call, int variant, Dtype dtype) {
  const auto& table = reinterpret_cast<const PointwiseTable<1>&>(kernel);
  const Launch launch = table.launches[variant][static_cast<tenon_dtype>(dtype)];
  // The facts refuse what has no kernel.
  if (launch == nullptr) {
    fail(TENON_ERROR_INTERNAL, {call.op(), ": a kernel must exist for ", dtype});
  }
  return launch;
}

// Runs a plan again over temporaries of what the loop reads and writes.
void run_with_temporaries(Launch launch, const Args& args, Elementwise& plan, const Call& call) {
  const tenon_tensor_info output = plan.output_info();
  Elementwise again(call.op());
  Tensor inputs[Elementwise::kMaxInputs];
  for (int k = 0; k < plan.inputs(); ++k) {
    const tenon_tensor_info& info = plan.input_info(k);
    const TensorRef input(const_cast<tenon_tensor*>(plan.input_tensor(k)));
    const bool stays = !plan.needs_cast(k) && Device(info.device) == Device(output.device);
    inputs[k] = stays ? Tensor(*input)
                      : to_device(*input, output.device, plan.input_dtype(k), plan.cast_strides(k));
    again.input(inputs[k].get(), call.form.names[k]);
  }
  TensorRef target(plan.output());
  Tensor result = *target;
  if (plan.output_needs_cast()) {
    result = Tensor::empty(sizes_of(output), plan.result_dtype(), output.device,
                           plan.output_cast_strides());
  }
  again.finish(plan.result_dtype(), Output::into(result.get()));
  launch(strided(again.walk(), again.inputs() + 1), args, current_stream(output.device));
  if (plan.output_needs_cast()) copy_on_device(*target, result);
}

}  // namespace

void run_pointwise(const PointwiseKernel& kernel, Elementwise& plan, const Call& call,
                   int variant) {
  const Launch launch = launch_of(kernel, call, variant, plan.dtype());
  const tenon_tensor_info output = plan.output_info();
  const DeviceGuard guard(output.device.index);
  uint32_t singles = 0;
  bool as_they_are = !plan.has_casts();
  for (int k = 0; k < plan.inputs(); ++k) {
    const tenon_tensor_info& info = plan.input_info(k);
    singles |= uint32_t{info.numel == 1} << k;
    as_they_are = as_they_are && Device(info.device) == Device(output.device);
  }
  const Args args(call.op(), call.args, static_cast<tenon_dtype>(plan.dtype()), singles);
  if (as_they_are) {
    launch(strided(plan.walk(), plan.inputs() + 1), args, current_stream(output.device));
  } else {
    run_with_temporaries(launch, args, plan, call);
  }
}

}  // namespace tenon::kernels::cuda
