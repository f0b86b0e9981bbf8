// SPDX-License-Identifier: Apache-2.0
// aten::sqrt on the CPU.
#include "kernels/cpu/unary.h"

namespace tenon::kernels::cpu {
namespace {

struct Sqrt {
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};

Tensor sqrt(const Tensor& self) { return unary<FloatAndComplexTypes>(kSqrt, self, Sqrt{}); }

}  // namespace

void register_sqrt(Library& aten) {
  aten.impl("sqrt", TENON_KEY_CPU, &sqrt, quick("cpu::sqrt", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
