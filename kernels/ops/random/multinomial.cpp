// SPDX-License-Identifier: Apache-2.0
// Argument checks and result of aten::multinomial.
#include "kernels/ops/random/multinomial.h"

#include "kernels/common/overlap.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels {

Tensor multinomial_result(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_defined(call.op(), "self", self);
  const Dtype dtype = dtype_of_info(self);
  check_floating(call.op(), "self", dtype);
  if (self.ndim != 1 && self.ndim != 2) {
    fail_argument(call.op(), "self", "have 1 or 2 dims", sizes_of(self));
  }
  const auto count = call.get<int64_t>(1);
  if (count <= 0) fail_argument(call.op(), "num_samples", "> 0", count);
  const int64_t categories = self.sizes[self.ndim - 1];
  if (!call.get<bool>(2) && count > categories) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": num_samples must be at most the size of the last dim without replacement, ",
          categories, ", got ", count});
  }
  check_written_apart(call, self);
  Dims sizes(sizes_of(self));
  sizes[sizes.size() - 1] = count;
  return result_for(call, sizes, Dtype::I64, Device(self.device));
}

namespace ops {

void multinomial_meta(const Call& call) {
  Tensor result = multinomial_result(call);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace ops

}  // namespace tenon::kernels
