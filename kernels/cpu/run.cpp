// SPDX-License-Identifier: Apache-2.0
// Temporaries around a pointwise loop.
#include "kernels/cpu/run.h"

#include "kernels/cpu/cast.h"

namespace tenon::kernels::cpu {

void run_with_casts(Elementwise& plan, Loop loop, const void* ctx) {
  Walk& walk = plan.walk();
  Tensor inputs[Elementwise::kMaxInputs];
  for (int k = 0; k < plan.inputs(); ++k) {
    if (!plan.needs_cast(k)) continue;
    const tenon_tensor_info& info = plan.input_info(k);
    inputs[k] = Tensor::empty(sizes_of(info), plan.input_dtype(k), Device(), plan.cast_strides(k));
    const tenon_tensor_info temporary = inputs[k].info();
    cast(temporary, info);
    walk.set_data(k + 1, temporary.data);
  }
  if (!plan.output_needs_cast()) {
    walk.run(loop, ctx);
    return;
  }
  const tenon_tensor_info output = plan.output_info();
  const Tensor result =
      Tensor::empty(sizes_of(output), plan.result_dtype(), Device(), plan.output_cast_strides());
  const tenon_tensor_info temporary = result.info();
  walk.set_data(0, temporary.data);
  walk.run(loop, ctx);
  cast(output, temporary);
}

}  // namespace tenon::kernels::cpu
