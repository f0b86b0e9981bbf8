// SPDX-License-Identifier: Apache-2.0
// aten::div: the quotient of two tensors: true, or rounded down ("floor") or towards 0 ("trunc").
#include "kernels/ops/div.h"

namespace tenon::kernels {
namespace {

void check_rounded(const char* op, Dtype, Dtype, Dtype common) {
  check_dtype(op, "self", common, RealTypes());
}

Tensor div_mode_meta(const Tensor& self, const Tensor& other,
                     std::optional<std::string_view> rounding_mode) {
  Elementwise plan(kDivRounded.tensor);
  const Rounding rounding = rounding_of(plan.op(), rounding_mode);
  plan_binary(plan, rounding == Rounding::None ? kDiv : kDivRounded, self, other,
              Output::allocate());
  return plan.take_result();
}

Tensor div_scalar_mode(const Tensor& self, const Scalar& other,
                       std::optional<std::string_view> rounding_mode) {
  using Mode = std::optional<std::string_view>;
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, Mode)> op(
      "aten::div.Tensor_mode");
  return op(self, number_tensor(other), rounding_mode);
}

}  // namespace

constexpr BinaryFacts kDiv{.tensor = "aten::div.Tensor",
                           .in_place = "aten::div_.Tensor",
                           .out = "aten::div.out",
                           .promotion = Promotion::CommonFloat};
constexpr BinaryFacts kDivRounded{.tensor = "aten::div.Tensor_mode", .check = &check_rounded};

Rounding rounding_of(const char* op, std::optional<std::string_view> rounding_mode) {
  if (!rounding_mode) return Rounding::None;
  if (*rounding_mode == "floor") return Rounding::Floor;
  if (*rounding_mode == "trunc") return Rounding::Trunc;
  fail_argument(op, "rounding_mode", "None, \"floor\" or \"trunc\"", *rounding_mode);
}

void register_div(Library& aten) {
  aten.def("div.Tensor(Tensor self, Tensor other) -> Tensor", {"core", "pointwise"});
  aten.impl("div.Tensor", TENON_KEY_META, &binary_meta<kDiv>, quick("binary_meta"));
  aten.def("div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", {"inplace", "pointwise"});
  aten.impl("div_.Tensor", TENON_KEY_META, &binary_in_place_meta<kDiv>, quick("binary_meta"));
  aten.def("div.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
           {"out", "pointwise"});
  aten.impl("div.out", TENON_KEY_META, &binary_out_meta<kDiv>, quick("binary_meta"));
  aten.def("div.Scalar(Tensor self, Scalar other) -> Tensor", {"core", "pointwise"});
  aten.impl("div.Scalar", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &binary_scalar<kDiv>,
            composite("binary_scalar"));
  aten.def("div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
           {"core", "pointwise"});
  aten.impl("div.Tensor_mode", TENON_KEY_META, &div_mode_meta, quick("div_mode_meta"));
  aten.def("div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
           {"core", "pointwise"});
  aten.impl("div.Scalar_mode", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &div_scalar_mode,
            composite("div_scalar_mode"));
}

}  // namespace tenon::kernels
