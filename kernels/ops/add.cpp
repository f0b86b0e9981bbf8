// SPDX-License-Identifier: Apache-2.0
// aten::add: self + alpha * other.
#include "kernels/ops/binary.h"

namespace tenon::kernels {

constexpr BinaryFacts kAdd{
    .tensor = "aten::add.Tensor", .in_place = "aten::add_.Tensor", .out = "aten::add.out"};

void register_add(Library& aten) {
  aten.def("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
           {"core", "pointwise"});
  aten.impl("add.Tensor", TENON_KEY_META, &alpha_meta<kAdd>, quick("alpha_meta"));
  aten.def("add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
           {"inplace", "pointwise"});
  aten.impl("add_.Tensor", TENON_KEY_META, &alpha_in_place_meta<kAdd>, quick("alpha_meta"));
  aten.def("add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
           {"out", "pointwise"});
  aten.impl("add.out", TENON_KEY_META, &alpha_out_meta<kAdd>, quick("alpha_meta"));
  aten.def("add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
           {"core", "pointwise"});
  aten.impl("add.Scalar", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &alpha_scalar<kAdd>,
            composite("alpha_scalar"));
}

}  // namespace tenon::kernels
