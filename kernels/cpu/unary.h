// SPDX-License-Identifier: Apache-2.0
// CPU kernels of operators of one tensor: a functor and the dtypes it takes.
#pragma once

#include <cmath>

#include "kernels/cpu/loops.h"
#include "kernels/ops/unary.h"

namespace tenon::kernels::cpu {

// The result has the dtype that the functor returns: its argument's, but for abs of complex
// numbers.
template <class Types, class F>
Tensor unary(const UnaryFacts& facts, const Tensor& self, const F& f) {
  Elementwise plan(facts.name);
  plan_unary(plan, facts, self, Output::allocate());
  visit(plan.op(), "self", plan.dtype(), Types(), [&]<class T>(Element<T>) {
    using Result = decltype(f(Compute<T>()));
    using Out = std::conditional_t<std::is_same_v<Result, Compute<T>>, T, Result>;
    run_unary<Out, T>(plan, f);
  });
  return plan.take_result();
}

}  // namespace tenon::kernels::cpu
