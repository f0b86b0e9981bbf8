// SPDX-License-Identifier: Apache-2.0
// aten::exp on the CPU.
#include "kernels/cpu/unary.h"

namespace tenon::kernels::cpu {
namespace {

struct Exp {
  template <class T>
  T operator()(T x) const {
    return std::exp(x);
  }
};

Tensor exp(const Tensor& self) { return unary<FloatAndComplexTypes>(kExp, self, Exp{}); }

}  // namespace

void register_exp(Library& aten) {
  aten.impl("exp", TENON_KEY_CPU, &exp, quick("cpu::exp", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
