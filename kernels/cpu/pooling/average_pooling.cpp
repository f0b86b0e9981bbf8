// SPDX-License-Identifier: Apache-2.0
// aten::avg_pool2d and similar operators on the CPU.
#include "kernels/ops/pooling/average_pooling.h"

#include "kernels/cpu/vision/resampling.h"

namespace tenon::kernels::cpu {

Operator operator_kAvgPool2d() {
  return routine_of<ops::kAvgPool2d, &run_resample<&avg_pool_plan>>();
}
Operator operator_kAvgPool2dBackward() {
  return routine_of<ops::kAvgPool2dBackward, &run_resample_gradient<&avg_pool_gradient_plan>>();
}
Operator operator_kAdaptiveAvgPool2dDirect() {
  return routine_of<ops::kAdaptiveAvgPool2dDirect, &run_resample<&adaptive_avg_pool_plan>>();
}
Operator operator_kAdaptiveAvgPool2dBackward() {
  return routine_of<ops::kAdaptiveAvgPool2dBackward,
                    &run_resample_gradient<&adaptive_avg_pool_gradient_plan>>();
}
Operator operator_kAvgPool3d() {
  return routine_of<ops::kAvgPool3d, &run_resample<&avg_pool_plan>>();
}
Operator operator_kAvgPool3dBackward() {
  return routine_of<ops::kAvgPool3dBackward, &run_resample_gradient<&avg_pool_gradient_plan>>();
}
Operator operator_kAdaptiveAvgPool3dDirect() {
  return routine_of<ops::kAdaptiveAvgPool3dDirect, &run_resample<&adaptive_avg_pool_plan>>();
}
Operator operator_kAdaptiveAvgPool3dBackward() {
  return routine_of<ops::kAdaptiveAvgPool3dBackward,
                    &run_resample_gradient<&adaptive_avg_pool_gradient_plan>>();
}

}  // namespace tenon::kernels::cpu
