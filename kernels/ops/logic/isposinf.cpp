// SPDX-License-Identifier: Apache-2.0
// Implements aten::isreal by calling other operators.
#include "kernels/ops/logic/isposinf.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

void isreal(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> imaginary("aten::imag");
  const Tensor self = *call.get<Tensor>(0);
  if (is_complex(self.dtype())) return call.give(0, call_eq(imaginary(self), Scalar(0)));
  Tensor all =
      call_empty_of_words(words_of(self), options_like(kind_of(self), {Dtype::Bool, {}, {}, {}}));
  call_fill(all, Scalar(true));
  call.give(0, std::move(all));
}

}  // namespace tenon::kernels::ops
