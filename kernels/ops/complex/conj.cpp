// SPDX-License-Identifier: Apache-2.0
// Implements aten::conj by calling other operators.
#include "kernels/ops/complex/conj.h"

#include <complex>

#include "kernels/common/call.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels::ops {
namespace {

// Returns true for a complex wrapped number, which must keep its precision and stay weakest in
// promotion.
bool is_complex_number(const tenon_tensor* tensor) {
  return (tenon_tensor_flags(tensor) & TENON_TENSOR_WRAPPED_NUMBER) != 0 &&
         tenon_tensor_dtype(tensor) == TENON_DTYPE_C128;
}

}  // namespace

void conj(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> conj_physical("aten::conj_physical");
  const auto self = call.get<Tensor>(0);
  if (!is_complex(self->dtype())) return call.give(0, Tensor(*self));
  if (!is_complex_number(call.tensor(0))) return call.give(0, conj_physical(self));
  const auto* const parts = static_cast<const double*>(self->info().data);
  call.give(0, number_tensor(Scalar(std::complex<double>(parts[0], -parts[1]))));
}

}  // namespace tenon::kernels::ops
