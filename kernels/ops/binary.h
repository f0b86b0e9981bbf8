// SPDX-License-Identifier: Apache-2.0
// What operators of two tensors, element by element, share: facts, plan, Meta kernels, definitions.
#pragma once

#include "kernels/common/elementwise.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {

// What is to say of one such operator. Each is defined in the operator's own file.
struct BinaryFacts {
  const char* tensor;                       // "aten::mul.Tensor"
  const char* in_place = nullptr;           // "aten::mul_.Tensor", when there is one
  const char* out = nullptr;                // "aten::mul.out", when there is one
  Promotion promotion = Promotion::Common;  // CommonFloat: bool and integers give floats
  bool bool_result = false;                 // a comparison
  // Throws for operands without a meaning: dtypes of the arguments, then the common one.
  void (*check)(const char* op, Dtype self, Dtype other, Dtype common) = nullptr;
};

extern const BinaryFacts kAdd;
extern const BinaryFacts kDiv;
extern const BinaryFacts kEq;
extern const BinaryFacts kGe;
extern const BinaryFacts kGt;
extern const BinaryFacts kLe;
extern const BinaryFacts kLt;
extern const BinaryFacts kMaximum;
extern const BinaryFacts kMinimum;
extern const BinaryFacts kMul;
extern const BinaryFacts kNe;
extern const BinaryFacts kSub;

// `alpha` is that of add and sub: a bool for bools only, a float for floats, a complex number for
// complex ones.
void plan_binary(Elementwise& plan, const BinaryFacts& facts, const Tensor& self,
                 const Tensor& other, Output output, const Scalar* alpha = nullptr);

template <const BinaryFacts& kFacts>
Tensor binary_meta(const Tensor& self, const Tensor& other) {
  Elementwise plan(kFacts.tensor);
  plan_binary(plan, kFacts, self, other, Output::allocate());
  return plan.take_result();
}
template <const BinaryFacts& kFacts>
Tensor& binary_in_place_meta(Tensor& self, const Tensor& other) {
  Elementwise plan(kFacts.in_place);
  plan_binary(plan, kFacts, self, other, Output::in_place(self));
  return self;
}
template <const BinaryFacts& kFacts>
Tensor& binary_out_meta(const Tensor& self, const Tensor& other, Tensor& out) {
  Elementwise plan(kFacts.out);
  plan_binary(plan, kFacts, self, other, Output::into(out));
  return out;
}

// The same with alpha.
template <const BinaryFacts& kFacts>
Tensor alpha_meta(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  Elementwise plan(kFacts.tensor);
  plan_binary(plan, kFacts, self, other, Output::allocate(), &alpha);
  return plan.take_result();
}
template <const BinaryFacts& kFacts>
Tensor& alpha_in_place_meta(Tensor& self, const Tensor& other, const Scalar& alpha) {
  Elementwise plan(kFacts.in_place);
  plan_binary(plan, kFacts, self, other, Output::in_place(self), &alpha);
  return self;
}
template <const BinaryFacts& kFacts>
Tensor& alpha_out_meta(const Tensor& self, const Tensor& other, const Scalar& alpha, Tensor& out) {
  Elementwise plan(kFacts.out);
  plan_binary(plan, kFacts, self, other, Output::into(out), &alpha);
  return out;
}

// Calls an operator `name` of two tensors through the dispatcher.
using BinaryOp = LazyOp<Tensor(const Tensor&, const Tensor&)>;

// Operators of a tensor and a number call the tensor form with a wrapped number. `kFacts.tensor`
// names that form.
template <const BinaryFacts& kFacts>
Tensor binary_scalar(const Tensor& self, const Scalar& other) {
  static constinit const BinaryOp op(kFacts.tensor);
  return op(self, number_tensor(other));
}
template <const BinaryFacts& kFacts>
Tensor alpha_scalar(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> op(
      kFacts.tensor);
  return op(self, number_tensor(other), alpha);
}

// Defines `<stem>.Tensor` and `<stem>.Scalar` of a comparison.
template <const BinaryFacts& kFacts>
void define_comparison(Library& aten, const std::string& stem) {
  aten.def(stem + ".Tensor(Tensor self, Tensor other) -> Tensor", {"core", "pointwise"});
  aten.impl(stem + ".Tensor", TENON_KEY_META, &binary_meta<kFacts>, quick("binary_meta"));
  aten.def(stem + ".Scalar(Tensor self, Scalar other) -> Tensor", {"core", "pointwise"});
  aten.impl(stem + ".Scalar", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &binary_scalar<kFacts>,
            composite("binary_scalar"));
}

}  // namespace tenon::kernels
