// SPDX-License-Identifier: Apache-2.0
// Implements aten::index_fill by calling other operators.
#include "kernels/ops/indexing/index_fill.h"

#include "kernels/common/promotion.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/indexing/along_dim.h"

namespace tenon::kernels::ops {
namespace {

// Returns the value as a 0-dim tensor of self's dtype. Refuses a value that does not fit it.
Tensor fill_value_of(const Call& call, const tenon_tensor_info& self) {
  Tensor value = call_empty({}, options_like(self, {}));
  const bool is_tensor = call.args[3].tag == TENON_TAG_TENSOR;
  if (is_tensor && call.get<Tensor>(3)->ndim() != 0) {
    fail_argument(call.op(), "value", "a 0-dim tensor", call.get<Tensor>(3)->sizes());
  }
  const bool gives_complex =
      is_tensor ? is_complex(call.get<Tensor>(3)->dtype()) : call.get<Scalar>(3).is_complex();
  if (gives_complex && !is_complex(value.dtype())) {
    fail_argument(call.op(), "value", "real like self", "a complex number");
  }
  if (is_tensor) {
    call_copy(value, call.get<Tensor>(3));
  } else {
    call_fill(value, call.get<Scalar>(3));
  }
  return value;
}

}  // namespace

void index_fill(const Call& call) {
  const Tensor result = written_or_copy(call, /*keeps_strides=*/true);
  const AlongDim along(call, result);
  call_index_put_(along.self(), along.indices(), fill_value_of(call, result.info()), false);
  if (call.form.written != 0) call.give(0, result);
}

}  // namespace tenon::kernels::ops
