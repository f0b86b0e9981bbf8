// SPDX-License-Identifier: Apache-2.0
// aten::cos on the CPU.
#include "kernels/cpu/unary.h"

namespace tenon::kernels::cpu {
namespace {

struct Cos {
  template <class T>
  T operator()(T x) const {
    return std::cos(x);
  }
};

Tensor cos(const Tensor& self) { return unary<FloatAndComplexTypes>(kCos, self, Cos{}); }

}  // namespace

void register_cos(Library& aten) {
  aten.impl("cos", TENON_KEY_CPU, &cos, quick("cpu::cos", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
