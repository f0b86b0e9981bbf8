// SPDX-License-Identifier: Apache-2.0
// aten::sub: self - alpha * other.
#include "kernels/ops/binary.h"

namespace tenon::kernels {
namespace {

void check_sub(const char* op, Dtype self, Dtype other, Dtype) {
  if (self == Dtype::Bool || other == Dtype::Bool) {
    fail(TENON_ERROR_NOT_SUPPORTED,
         {op, ": not supported for dtype bool: ", self == Dtype::Bool ? "self" : "other",
          " must be a number; logical xor tells where masks differ"});
  }
}

}  // namespace

constexpr BinaryFacts kSub{.tensor = "aten::sub.Tensor",
                           .in_place = "aten::sub_.Tensor",
                           .out = "aten::sub.out",
                           .check = &check_sub};

void register_sub(Library& aten) {
  aten.def("sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
           {"core", "pointwise"});
  aten.impl("sub.Tensor", TENON_KEY_META, &alpha_meta<kSub>, quick("alpha_meta"));
  aten.def("sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
           {"inplace", "pointwise"});
  aten.impl("sub_.Tensor", TENON_KEY_META, &alpha_in_place_meta<kSub>, quick("alpha_meta"));
  aten.def("sub.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
           {"out", "pointwise"});
  aten.impl("sub.out", TENON_KEY_META, &alpha_out_meta<kSub>, quick("alpha_meta"));
  aten.def("sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
           {"core", "pointwise"});
  aten.impl("sub.Scalar", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &alpha_scalar<kSub>,
            composite("alpha_scalar"));
}

}  // namespace tenon::kernels
