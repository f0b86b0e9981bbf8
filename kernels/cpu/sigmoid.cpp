// SPDX-License-Identifier: Apache-2.0
// aten::sigmoid on the CPU.
#include "kernels/cpu/unary.h"

namespace tenon::kernels::cpu {
namespace {

struct Sigmoid {
  template <class T>
  T operator()(T x) const {
    return T(1) / (T(1) + std::exp(-x));
  }
};

Tensor sigmoid(const Tensor& self) {
  return unary<FloatAndComplexTypes>(kSigmoid, self, Sigmoid{});
}

}  // namespace

void register_sigmoid(Library& aten) {
  aten.impl("sigmoid", TENON_KEY_CPU, &sigmoid, quick("cpu::sigmoid", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
