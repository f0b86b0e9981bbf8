// SPDX-License-Identifier: Apache-2.0
// aten::mul on the CPU.
#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

struct Mul {
  static constexpr bool kScales = true;
  template <class T>
  T operator()(T a, T b) const {
    return multiply(a, b);
  }
};

Tensor mul(const Tensor& self, const Tensor& other) {
  return binary<AllTypes>(kMul, self, other, Mul());
}
Tensor& mul_(Tensor& self, const Tensor& other) {
  return binary_in_place<AllTypes>(kMul, self, other, Mul());
}
Tensor& mul_out(const Tensor& self, const Tensor& other, Tensor& out) {
  return binary_out<AllTypes>(kMul, self, other, out, Mul());
}

}  // namespace

void register_mul(Library& aten) {
  aten.impl("mul.Tensor", TENON_KEY_CPU, &mul, quick("cpu::mul", kQuickNumel));
  aten.impl("mul_.Tensor", TENON_KEY_CPU, &mul_, quick("cpu::mul_", kQuickNumel));
  aten.impl("mul.out", TENON_KEY_CPU, &mul_out, quick("cpu::mul_out", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
