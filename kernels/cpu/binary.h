// SPDX-License-Identifier: Apache-2.0
// CPU kernels of operators of two tensors: a functor, the dtypes it takes and the three forms.
#pragma once

#include "kernels/cpu/complex_math.h"
#include "kernels/cpu/loops.h"
#include "kernels/ops/binary.h"

namespace tenon::kernels::cpu {

// The loop of a finished plan. The result has the dtype that the functor returns.
template <class Types, class F>
void compute_binary(Elementwise& plan, const F& f) {
  visit(plan.op(), "self", plan.dtype(), Types(), [&]<class T>(Element<T>) {
    using Result = decltype(f(Compute<T>(), Compute<T>()));
    using Out = std::conditional_t<std::is_same_v<Result, Compute<T>>, T, Result>;
    run_binary<Out, T>(plan, f);
  });
}

template <class Types, class F>
Tensor binary(const BinaryFacts& facts, const Tensor& self, const Tensor& other, const F& f) {
  Elementwise plan(facts.tensor);
  plan_binary(plan, facts, self, other, Output::allocate());
  compute_binary<Types>(plan, f);
  return plan.take_result();
}

template <class Types, class F>
Tensor& binary_in_place(const BinaryFacts& facts, Tensor& self, const Tensor& other, const F& f) {
  Elementwise plan(facts.in_place);
  plan_binary(plan, facts, self, other, Output::in_place(self));
  compute_binary<Types>(plan, f);
  return self;
}
template <class Types, class F>
Tensor& binary_out(const BinaryFacts& facts, const Tensor& self, const Tensor& other, Tensor& out,
                   const F& f) {
  Elementwise plan(facts.out);
  plan_binary(plan, facts, self, other, Output::into(out));
  compute_binary<Types>(plan, f);
  return out;
}

}  // namespace tenon::kernels::cpu
