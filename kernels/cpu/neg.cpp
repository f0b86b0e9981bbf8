// SPDX-License-Identifier: Apache-2.0
// aten::neg on the CPU.
#include "kernels/cpu/unary.h"

namespace tenon::kernels::cpu {
namespace {

struct Neg {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(x));  // the smallest one wraps
    } else {
      return -x;
    }
  }
};

Tensor neg(const Tensor& self) { return unary<NumberTypes>(kNeg, self, Neg{}); }

}  // namespace

void register_neg(Library& aten) {
  aten.impl("neg", TENON_KEY_CPU, &neg, quick("cpu::neg", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
