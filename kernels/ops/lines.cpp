// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/lines.h"

#include "kernels/ops/calls.h"

namespace tenon::kernels {

Tensor one_line(const Call& call) {
  const auto self = call.get<Tensor>(0);
  if (self->ndim() != 2 && self->ndim() != 3) {
    fail_argument(call.op(), "self", "have 2 dims, or 3 with a batch", self->sizes());
  }
  return call_unsqueeze(*self, -2);
}

Dims of_one_line(const Call& call, int argument, int64_t line) {
  const auto numbers = call.get<Sizes>(argument);
  if (numbers.size() != 1) {
    fail_argument(call.op(), call.form.names[argument], "one number", numbers);
  }
  return Dims{line, numbers[0]};
}

Tensor without_line(const Tensor& lines) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> squeeze("aten::squeeze.dim");
  return squeeze(lines, -2);
}

}  // namespace tenon::kernels
