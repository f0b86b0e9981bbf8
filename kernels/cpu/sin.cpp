// SPDX-License-Identifier: Apache-2.0
// aten::sin on the CPU.
#include "kernels/cpu/unary.h"

namespace tenon::kernels::cpu {
namespace {

struct Sin {
  template <class T>
  T operator()(T x) const {
    return std::sin(x);
  }
};

Tensor sin(const Tensor& self) { return unary<FloatAndComplexTypes>(kSin, self, Sin{}); }

}  // namespace

void register_sin(Library& aten) {
  aten.impl("sin", TENON_KEY_CPU, &sin, quick("cpu::sin", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
