// SPDX-License-Identifier: Apache-2.0
// aten::sub on the CPU.
#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

using Types = NumberTypes;

struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));  // wraps
    } else {
      return a - b;
    }
  }
};

template <class T>
struct SubScaled {
  T alpha;
  T operator()(T a, T b) const { return Sub()(a, multiply(alpha, b)); }
};

void compute(Elementwise& plan, const Scalar& alpha) {
  if (alpha.is_int() && alpha.to_int() == 1) {
    visit(plan.op(), "self", plan.dtype(), Types(),
          [&]<class T>(Element<T>) { run_binary<T, T>(plan, Sub()); });
    return;
  }
  visit(plan.op(), "self", plan.dtype(), Types(), [&]<class T>(Element<T>) {
    const auto factor = static_cast<Compute<T>>(checked_element_of<T>(plan.op(), "alpha", alpha));
    run_binary<T, T>(plan, SubScaled<Compute<T>>{factor});
  });
}

Tensor sub(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  Elementwise plan(kSub.tensor);
  plan_binary(plan, kSub, self, other, Output::allocate(), &alpha);
  compute(plan, alpha);
  return plan.take_result();
}

Tensor& sub_(Tensor& self, const Tensor& other, const Scalar& alpha) {
  Elementwise plan(kSub.in_place);
  plan_binary(plan, kSub, self, other, Output::in_place(self), &alpha);
  compute(plan, alpha);
  return self;
}

Tensor& sub_out(const Tensor& self, const Tensor& other, const Scalar& alpha, Tensor& out) {
  Elementwise plan(kSub.out);
  plan_binary(plan, kSub, self, other, Output::into(out), &alpha);
  compute(plan, alpha);
  return out;
}

}  // namespace

void register_sub(Library& aten) {
  aten.impl("sub.Tensor", TENON_KEY_CPU, &sub, quick("cpu::sub", kQuickNumel));
  aten.impl("sub_.Tensor", TENON_KEY_CPU, &sub_, quick("cpu::sub_", kQuickNumel));
  aten.impl("sub.out", TENON_KEY_CPU, &sub_out, quick("cpu::sub_out", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
