// SPDX-License-Identifier: Apache-2.0
// What aten::normal_ refuses.
#include "kernels/ops/normal.h"

#include "kernels/common/overlap.h"
#include "kernels/ops/fill.h"

namespace tenon::kernels {
void check_normal(const char* op, const tenon_tensor_info& self, double std) {
  check_fill_target(op, self);
  check_no_internal_overlap(op, self);
  check_dtype(op, "self", dtype_of_info(self), FloatAndComplexTypes());
  if (!(std >= 0)) fail_argument(op, "std", ">= 0", Scalar(std));  // NaN is not, either
}

}  // namespace tenon::kernels
