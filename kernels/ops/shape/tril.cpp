// SPDX-License-Identifier: Apache-2.0
// Argument checks and result of aten::tril and aten::triu.
#include "kernels/ops/shape/tril.h"

#include "kernels/common/overlap.h"

namespace tenon::kernels {

Tensor triangle_result(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_defined(call.op(), "self", self);
  if (self.ndim < 2) fail_argument(call.op(), "self", "have at least 2 dims", sizes_of(self));
  if (call.form.kind == kInPlace) {
    check_out(call, self, Device(self.device));
    return *call.get<Tensor>(0);
  }
  if (call.form.is_out()) {
    check_no_partial_overlap(call.op(), Tensor::retain(call.written()).info(), self);
  }
  return result_for(call, sizes_of(self), dtype_of_info(self), Device(self.device));
}

namespace ops {

void triangle_meta(const Call& call) {
  Tensor result = triangle_result(call);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace ops

}  // namespace tenon::kernels
