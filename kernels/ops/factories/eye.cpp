// SPDX-License-Identifier: Apache-2.0
// Implements aten::eye by calling other operators.
#include "kernels/ops/factories/eye.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

void make_eye(const Call& call, int64_t rows, int64_t columns) {
  if (rows < 0) fail_argument(call.op(), "n", "at least 0", rows);
  if (columns < 0) fail_argument(call.op(), "m", "at least 0", columns);
  FactoryOptions options = options_of(call);
  if (call.form.is_out()) options = options_like(Tensor::retain(call.written()).info(), {});
  Tensor made = call_zeros(Dims{rows, columns}, options);
  Tensor diagonal = call_diagonal(made, 0, 0, 1);
  call_fill(diagonal, Scalar(1));
  call.give(0, std::move(made));
}

}  // namespace

void eye(const Call& call) { make_eye(call, call.get<int64_t>(0), call.get<int64_t>(0)); }

void eye_of(const Call& call) { make_eye(call, call.get<int64_t>(0), call.get<int64_t>(1)); }

}  // namespace tenon::kernels::ops
