// SPDX-License-Identifier: Apache-2.0
// Implements aten::index_add by calling other operators.
#include "kernels/ops/indexing/index_add.h"

#include "kernels/ops/calls.h"
#include "kernels/ops/indexing/along_dim.h"

namespace tenon::kernels::ops {

void index_add(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> scaled("aten::mul.Scalar");
  const Tensor result = written_or_copy(call, /*keeps_strides=*/false);
  const AlongDim along(call, result);
  along.check_index();
  Tensor source = along.source("source", *call.get<Tensor>(3));
  const auto alpha = call.get<Scalar>(4);
  const bool is_one = call.args[4].tag == TENON_TAG_INT && call.args[4].as.i == 1;
  if (!is_one) source = scaled(source, alpha);
  if (source.dtype() != result.dtype()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": alpha must be a number that ", result.dtype(), " can hold, got ", alpha});
  }
  call_index_put_(along.self(), along.indices(), source, true);
  if (call.form.written != 0) call.give(0, result);
}

}  // namespace tenon::kernels::ops
