// SPDX-License-Identifier: Apache-2.0
// What operators of one tensor, element by element, share: facts, plan, Meta kernel, definition.
#pragma once

#include "kernels/common/elementwise.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {

// What is to say of one such operator. Each is defined in the operator's own file.
struct UnaryFacts {
  const char* name;                         // "aten::exp"
  const char* schema;                       // "exp(Tensor self) -> Tensor"
  Promotion promotion = Promotion::Common;  // CommonFloat: bool and integers give floats
  bool complex_to_real = false;             // the result of a complex input is real
  void (*check)(const char* op, Dtype dtype) = nullptr;  // throws for dtypes without a meaning
};

extern const UnaryFacts kAbs;
extern const UnaryFacts kCos;
extern const UnaryFacts kExp;
extern const UnaryFacts kLog;
extern const UnaryFacts kNeg;
extern const UnaryFacts kRelu;
extern const UnaryFacts kSigmoid;
extern const UnaryFacts kSin;
extern const UnaryFacts kSqrt;
extern const UnaryFacts kTanh;

void plan_unary(Elementwise& plan, const UnaryFacts& facts, const Tensor& self, Output output);

template <const UnaryFacts& kFacts>
Tensor unary_meta(const Tensor& self) {
  Elementwise plan(kFacts.name);
  plan_unary(plan, kFacts, self, Output::allocate());
  return plan.take_result();
}

template <const UnaryFacts& kFacts>
void define_unary(Library& aten) {
  aten.def(kFacts.schema, {"core", "pointwise"});
  aten.impl(kFacts.name, TENON_KEY_META, &unary_meta<kFacts>, quick("unary_meta"));
}

}  // namespace tenon::kernels
