// SPDX-License-Identifier: Apache-2.0
// aten::zero_: sets every element to zero.
#include "kernels/common/registrar.h"
#include "kernels/ops/fill.h"

namespace tenon::kernels {
namespace {

Tensor& zero_meta(Tensor& self) {
  check_fill("aten::zero_", self.info(), Scalar(0));
  return self;
}

}  // namespace

void register_zero(Library& aten) {
  aten.def("zero_(Tensor(a!) self) -> Tensor(a!)", {"inplace"});
  aten.impl("zero_", TENON_KEY_META, &zero_meta, quick("zero_meta"));
}

}  // namespace tenon::kernels
