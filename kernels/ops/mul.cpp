// SPDX-License-Identifier: Apache-2.0
// aten::mul: the product of two tensors; of bools, their logical and.
#include "kernels/ops/binary.h"

namespace tenon::kernels {

constexpr BinaryFacts kMul{.tensor = "aten::mul.Tensor",
                           .in_place = "aten::mul_.Tensor",
                           .out = "aten::mul.out",
                           .promotion = Promotion::Common};

void register_mul(Library& aten) {
  aten.def("mul.Tensor(Tensor self, Tensor other) -> Tensor", {"core", "pointwise"});
  aten.impl("mul.Tensor", TENON_KEY_META, &binary_meta<kMul>, quick("binary_meta"));
  aten.def("mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", {"inplace", "pointwise"});
  aten.impl("mul_.Tensor", TENON_KEY_META, &binary_in_place_meta<kMul>, quick("binary_meta"));
  aten.def("mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
           {"out", "pointwise"});
  aten.impl("mul.out", TENON_KEY_META, &binary_out_meta<kMul>, quick("binary_meta"));
  aten.def("mul.Scalar(Tensor self, Scalar other) -> Tensor", {"core", "pointwise"});
  aten.impl("mul.Scalar", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &binary_scalar<kMul>,
            composite("binary_scalar"));
}

}  // namespace tenon::kernels
