// SPDX-License-Identifier: Apache-2.0
// aten::tanh on the CPU.
#include "kernels/cpu/unary.h"

namespace tenon::kernels::cpu {
namespace {

struct Tanh {
  template <class T>
  T operator()(T x) const {
    return std::tanh(x);
  }
};

Tensor tanh(const Tensor& self) { return unary<FloatAndComplexTypes>(kTanh, self, Tanh{}); }

}  // namespace

void register_tanh(Library& aten) {
  aten.impl("tanh", TENON_KEY_CPU, &tanh, quick("cpu::tanh", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
