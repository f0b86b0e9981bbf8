// SPDX-License-Identifier: Apache-2.0
// aten::reflection_pad2d, aten::replication_pad2d and similar operators on the CPU.
#include "kernels/ops/padding/reflection_pad.h"

#include "kernels/cpu/vision/resampling.h"

namespace tenon::kernels::cpu {

Operator operator_kReflectionPad1d() {
  return routine_of<ops::kReflectionPad1d, &run_resample<&reflection_pad_plan>>();
}
Operator operator_kReflectionPad1dBackward() {
  return routine_of<ops::kReflectionPad1dBackward,
                    &run_resample_gradient<&reflection_pad_gradient_plan>>();
}
Operator operator_kReflectionPad2d() {
  return routine_of<ops::kReflectionPad2d, &run_resample<&reflection_pad_plan>>();
}
Operator operator_kReflectionPad2dBackward() {
  return routine_of<ops::kReflectionPad2dBackward,
                    &run_resample_gradient<&reflection_pad_gradient_plan>>();
}
Operator operator_kReflectionPad3d() {
  return routine_of<ops::kReflectionPad3d, &run_resample<&reflection_pad_plan>>();
}
Operator operator_kReflectionPad3dBackward() {
  return routine_of<ops::kReflectionPad3dBackward,
                    &run_resample_gradient<&reflection_pad_gradient_plan>>();
}
Operator operator_kReplicationPad1d() {
  return routine_of<ops::kReplicationPad1d, &run_resample<&replication_pad_plan>>();
}
Operator operator_kReplicationPad1dBackward() {
  return routine_of<ops::kReplicationPad1dBackward,
                    &run_resample_gradient<&replication_pad_gradient_plan>>();
}
Operator operator_kReplicationPad2d() {
  return routine_of<ops::kReplicationPad2d, &run_resample<&replication_pad_plan>>();
}
Operator operator_kReplicationPad2dBackward() {
  return routine_of<ops::kReplicationPad2dBackward,
                    &run_resample_gradient<&replication_pad_gradient_plan>>();
}
Operator operator_kReplicationPad3d() {
  return routine_of<ops::kReplicationPad3d, &run_resample<&replication_pad_plan>>();
}
Operator operator_kReplicationPad3dBackward() {
  return routine_of<ops::kReplicationPad3dBackward,
                    &run_resample_gradient<&replication_pad_gradient_plan>>();
}

}  // namespace tenon::kernels::cpu
