// SPDX-License-Identifier: Apache-2.0
// aten::item: the one element of a tensor, as a number.
#include "kernels/common/check.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

Scalar item(const Tensor& self) {
  static constinit const LazyOp<Scalar(const Tensor&)> local_scalar_dense(
      "aten::_local_scalar_dense");
  if (self.numel() != 1) {
    fail_argument("aten::item", "self", "a tensor of one element", self.sizes());
  }
  return local_scalar_dense(self);
}

}  // namespace

void register_item(Library& aten) {
  aten.def("item(Tensor self) -> Scalar", {"data_dependent_output"});
  aten.impl("item", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, &item, composite("item"));
}

}  // namespace tenon::kernels
