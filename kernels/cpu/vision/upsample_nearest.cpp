// SPDX-License-Identifier: Apache-2.0
// aten::upsample_nearest2d and similar operators on the CPU.
#include "kernels/ops/vision/upsample_nearest.h"

#include "kernels/cpu/vision/resampling.h"

namespace tenon::kernels::cpu {

Operator operator_kUpsampleNearest1d() {
  return routine_of<ops::kUpsampleNearest1d, &run_resample<&upsample_nearest_plan>>();
}
Operator operator_kUpsampleNearest1dBackward() {
  return routine_of<ops::kUpsampleNearest1dBackward,
                    &run_resample_gradient<&upsample_nearest_gradient_plan>>();
}
Operator operator_kUpsampleNearest2d() {
  return routine_of<ops::kUpsampleNearest2d, &run_resample<&upsample_nearest_plan>>();
}
Operator operator_kUpsampleNearest2dBackward() {
  return routine_of<ops::kUpsampleNearest2dBackward,
                    &run_resample_gradient<&upsample_nearest_gradient_plan>>();
}
Operator operator_kUpsampleNearest3d() {
  return routine_of<ops::kUpsampleNearest3d, &run_resample<&upsample_nearest_plan>>();
}
Operator operator_kUpsampleNearest3dBackward() {
  return routine_of<ops::kUpsampleNearest3dBackward,
                    &run_resample_gradient<&upsample_nearest_gradient_plan>>();
}
Operator operator_kUpsampleNearestExact1d() {
  return routine_of<ops::kUpsampleNearestExact1d, &run_resample<&upsample_nearest_plan>>();
}
Operator operator_kUpsampleNearestExact1dBackward() {
  return routine_of<ops::kUpsampleNearestExact1dBackward,
                    &run_resample_gradient<&upsample_nearest_gradient_plan>>();
}
Operator operator_kUpsampleNearestExact2d() {
  return routine_of<ops::kUpsampleNearestExact2d, &run_resample<&upsample_nearest_plan>>();
}
Operator operator_kUpsampleNearestExact2dBackward() {
  return routine_of<ops::kUpsampleNearestExact2dBackward,
                    &run_resample_gradient<&upsample_nearest_gradient_plan>>();
}
Operator operator_kUpsampleNearestExact3d() {
  return routine_of<ops::kUpsampleNearestExact3d, &run_resample<&upsample_nearest_plan>>();
}
Operator operator_kUpsampleNearestExact3dBackward() {
  return routine_of<ops::kUpsampleNearestExact3dBackward,
                    &run_resample_gradient<&upsample_nearest_gradient_plan>>();
}

}  // namespace tenon::kernels::cpu
