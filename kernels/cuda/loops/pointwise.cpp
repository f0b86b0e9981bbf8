// SPDX-License-Identifier: Apache-2.0
// Launches the kernel of a pointwise plan. Operands of another dtype or on the CPU are copied to
// temporaries.
#include "kernels/cuda/loops/pointwise.h"

#include "kernels/common/families/pointwise.h"
#include "kernels/cuda/loops/elements.cuh"
#include "kernels/cuda/loops/operands.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/runtime.h"

namespace tenon::kernels::cuda {
namespace {

Launch launch_of(const PointwiseKernel& kernel, const Call& call, int variant, Dtype dtype) {
  const auto& table = reinterpret_cast<const PointwiseTable<1>&>(kernel);
  const Launch launch = table.launches[variant][static_cast<tenon_dtype>(dtype)];
  if (launch == nullptr) refuse_dtype(call.op(), static_cast<tenon_dtype>(dtype));
  return launch;
}

// Converts the operands of a plan to launch parameters; single elements on the CPU are passed with
// the launch. Returns false if an operand is on another device or has another dtype.
bool take_operands(Elementwise& plan, const PointwiseFacts& facts, Strided& operands) {
  const Device device(plan.output_info().device);
  for (int k = 0; k < plan.outputs(); ++k) {
    if (plan.output_needs_cast(k)) return false;
  }
  operands = strided(plan.walk(), plan.outputs() + plan.inputs());
  for (int k = 0; k < plan.inputs(); ++k) {
    const tenon_tensor_info& info = plan.input_info(k);
    if (is_element(info)) {
      take_element(operands, plan.outputs() + k,
                   Tensor::retain(const_cast<tenon_tensor*>(plan.input_tensor(k))),
                   plan.input_dtype(k), facts.keeps_digits && k == 1);
    } else if (plan.needs_cast(k) || !(Device(info.device) == device)) {
      return false;
    }
  }
  return true;
}

// Runs a plan again, with temporaries for operands that the kernel cannot access directly.
void run_with_temporaries(Launch launch, const Args& args, Elementwise& plan, const Call& call) {
  const Device device(plan.output_info().device);
  Elementwise again(call.op());
  Tensor inputs[Elementwise::kMaxInputs];
  for (int k = 0; k < plan.inputs(); ++k) {
    inputs[k] = Tensor::retain(const_cast<tenon_tensor*>(plan.input_tensor(k)));
    const tenon_tensor_info& info = plan.input_info(k);
    const bool stays = is_element(info) || (!plan.needs_cast(k) && Device(info.device) == device);
    if (!stays) {
      inputs[k] = to_device(inputs[k], device, plan.input_dtype(k), plan.cast_strides(k));
    }
    again.input(inputs[k].get(), call.form.names[k]);
    again.read_as(k, plan.input_dtype(k));
  }
  OneOfSeveral results[kMaxResults];
  Tensor made[kMaxResults];
  for (int k = 0; k < plan.outputs(); ++k) {
    tenon_tensor* target = plan.output(k);
    if (plan.output_needs_cast(k)) {
      made[k] = Tensor::empty(sizes_of(plan.output_info(k)), plan.result_dtype(k), device,
                              plan.output_cast_strides(k));
      target = made[k].get();
    }
    results[k] = {plan.result_dtype(k), "out", target};
  }
  again.finish_several({results, static_cast<size_t>(plan.outputs())});
  Strided operands;
  if (!take_operands(again, call.facts().pointwise, operands)) {
    fail(TENON_ERROR_INTERNAL, {call.op(), ": temporaries must be what the kernel takes"});
  }
  launch(operands, args, current_stream(device));
  for (int k = 0; k < plan.outputs(); ++k) {
    if (made[k]) copy_on_device(call.op(), plan.output_info(k), made[k].info());
  }
}

}  // namespace

void run_pointwise(const PointwiseKernel& kernel, Elementwise& plan, const Call& call,
                   int variant) {
  const Launch launch = launch_of(kernel, call, variant, plan.dtype());
  const Device device(plan.output_info().device);
  const DeviceGuard guard(device.index);
  uint32_t singles = 0;
  for (int k = 0; k < plan.inputs(); ++k) singles |= uint32_t{plan.input_info(k).numel == 1} << k;
  const Args args(call.op(), call.args, static_cast<tenon_dtype>(plan.dtype()), singles);
  Strided operands;
  if (take_operands(plan, call.facts().pointwise, operands)) {
    launch(operands, args, current_stream(device));
  } else {
    run_with_temporaries(launch, args, plan, call);
  }
}

void refuse_dtype(const char* op, int32_t dtype) {
  fail(TENON_ERROR_NOT_SUPPORTED,
       {op, ": not supported on CUDA for dtype ", static_cast<Dtype>(dtype)});
}

}  // namespace tenon::kernels::cuda
