// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::masked_fill, and the operators that it calls.
#include "kernels/ops/indexing/masked_fill.h"

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

// Returns the value as a 0-dim tensor of self's dtype. Refuses a value that does not fit it.
Tensor value_of(const Call& call, const tenon_tensor_info& self) {
  Tensor value = call_empty({}, options_like(self, {}));
  if (call.args[2].tag != TENON_TAG_TENSOR) {
    call_fill(value, call.get<Scalar>(2));
    return value;
  }
  const auto given = call.get<Tensor>(2);
  if (given->ndim() != 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": value must be a 0-dim tensor, got one of sizes ", given->sizes()});
  }
  if (is_complex(given->dtype()) && !is_complex(value.dtype())) {
    fail_argument(call.op(), "value", "real like self", given->dtype());
  }
  call_copy(value, given);
  return value;
}

}  // namespace

void masked_fill(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> where(
      "aten::where.self");
  Tensor self = Tensor::retain(call.tensor(0));
  const auto mask = call.get<Tensor>(1);
  if (mask->dtype() != Dtype::Bool) {
    fail_argument(call.op(), "mask", "a bool tensor", mask->dtype());
  }
  const Tensor filled = where(mask, value_of(call, self.info()), self);
  if (call.form.written == 0) {
    call_copy(self, filled);
  } else {
    call.give(0, filled);
  }
}

}  // namespace tenon::kernels::ops
