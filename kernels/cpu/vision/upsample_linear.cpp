// SPDX-License-Identifier: Apache-2.0
// aten::upsample_bilinear2d and similar operators on the CPU.
#include "kernels/ops/vision/upsample_linear.h"

#include "kernels/cpu/vision/resampling.h"

namespace tenon::kernels::cpu {

Operator operator_kUpsampleLinear1d() {
  return routine_of<ops::kUpsampleLinear1d, &run_resample<&upsample_linear_plan>>();
}
Operator operator_kUpsampleLinear1dBackward() {
  return routine_of<ops::kUpsampleLinear1dBackward,
                    &run_resample_gradient<&upsample_linear_gradient_plan>>();
}
Operator operator_kUpsampleBilinear2d() {
  return routine_of<ops::kUpsampleBilinear2d, &run_resample<&upsample_linear_plan>>();
}
Operator operator_kUpsampleBilinear2dBackward() {
  return routine_of<ops::kUpsampleBilinear2dBackward,
                    &run_resample_gradient<&upsample_linear_gradient_plan>>();
}
Operator operator_kUpsampleTrilinear3d() {
  return routine_of<ops::kUpsampleTrilinear3d, &run_resample<&upsample_linear_plan>>();
}
Operator operator_kUpsampleTrilinear3dBackward() {
  return routine_of<ops::kUpsampleTrilinear3dBackward,
                    &run_resample_gradient<&upsample_linear_gradient_plan>>();
}
Operator operator_kUpsampleBicubic2d() {
  return routine_of<ops::kUpsampleBicubic2d, &run_resample<&upsample_linear_plan>>();
}
Operator operator_kUpsampleBicubic2dBackward() {
  return routine_of<ops::kUpsampleBicubic2dBackward,
                    &run_resample_gradient<&upsample_linear_gradient_plan>>();
}

}  // namespace tenon::kernels::cpu
