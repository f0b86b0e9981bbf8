// SPDX-License-Identifier: Apache-2.0
// aten::add on the CPU.
#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

using Types = Joined<BoolType, NumberTypes>;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));  // wraps
    } else {
      return a + b;
    }
  }
};

template <class T>
struct AddScaled {
  T alpha;
  T operator()(T a, T b) const { return Add()(a, multiply(alpha, b)); }
};

void compute(Elementwise& plan, const Scalar& alpha) {
  if (alpha.is_int() && alpha.to_int() == 1) {
    visit(plan.op(), "self", plan.dtype(), Types(),
          [&]<class T>(Element<T>) { run_binary<T, T>(plan, Add()); });
    return;
  }
  visit(plan.op(), "self", plan.dtype(), Types(), [&]<class T>(Element<T>) {
    const auto factor = static_cast<Compute<T>>(checked_element_of<T>(plan.op(), "alpha", alpha));
    run_binary<T, T>(plan, AddScaled<Compute<T>>{factor});
  });
}

Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  Elementwise plan(kAdd.tensor);
  plan_binary(plan, kAdd, self, other, Output::allocate(), &alpha);
  compute(plan, alpha);
  return plan.take_result();
}

Tensor& add_(Tensor& self, const Tensor& other, const Scalar& alpha) {
  Elementwise plan(kAdd.in_place);
  plan_binary(plan, kAdd, self, other, Output::in_place(self), &alpha);
  compute(plan, alpha);
  return self;
}

Tensor& add_out(const Tensor& self, const Tensor& other, const Scalar& alpha, Tensor& out) {
  Elementwise plan(kAdd.out);
  plan_binary(plan, kAdd, self, other, Output::into(out), &alpha);
  compute(plan, alpha);
  return out;
}

}  // namespace

void register_add(Library& aten) {
  aten.impl("add.Tensor", TENON_KEY_CPU, &add, quick("cpu::add", kQuickNumel));
  aten.impl("add_.Tensor", TENON_KEY_CPU, &add_, quick("cpu::add_", kQuickNumel));
  aten.impl("add.out", TENON_KEY_CPU, &add_out, quick("cpu::add_out", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
