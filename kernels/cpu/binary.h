// SPDX-License-Identifier: Apache-2.0
// CPU kernels of operators of two tensors: a functor, the dtypes it takes and the three forms.
#pragma once

#include "kernels/cpu/cast.h"
#include "kernels/cpu/complex_math.h"
#include "kernels/cpu/loops.h"
#include "kernels/ops/binary.h"

namespace tenon::kernels::cpu {

// A functor whose second input is one number.
template <class F>
struct ByNumber {
  F f;
  float number;
  float operator()(float a) const { return f(a, number); }
};

// Runs a product or quotient of T. One number of another dtype keeps a float's digits beside small
// floats: it is not rounded to T first, as PyTorch has it.
template <class T, class F>
void run_scaling(Elementwise& plan, const F& f) {
  if constexpr (is_small_float<T>) {
    if (plan.needs_cast(1) && plan.input_info(1).numel == 1) {
      run_unary<T, T>(plan, ByNumber<F>{f, number_of(plan.input_info(1))});
      return;
    }
  }
  run_binary<T, T>(plan, f);
}

// The loop of a finished plan. The result has the dtype that the functor returns.
template <class Types, class F>
void compute_binary(Elementwise& plan, const F& f) {
  visit(plan.op(), "self", plan.dtype(), Types(), [&]<class T>(Element<T>) {
    using Result = decltype(f(Compute<T>(), Compute<T>()));
    using Out = std::conditional_t<std::is_same_v<Result, Compute<T>>, T, Result>;
    if constexpr (requires { F::kScales; }) {
      run_scaling<T>(plan, f);
    } else {
      run_binary<Out, T>(plan, f);
    }
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
