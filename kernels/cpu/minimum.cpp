// SPDX-License-Identifier: Apache-2.0
// aten::minimum on the CPU.
#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    // NaN is the one value that differs from itself: it wins from either side.
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a) return a;
      if (b != b) return b;
    }
    return a < b ? a : b;
  }
};

Tensor minimum(const Tensor& self, const Tensor& other) {
  return binary<Joined<BoolType, RealTypes>>(kMinimum, self, other, Minimum());
}

}  // namespace

void register_minimum(Library& aten) {
  aten.impl("minimum", TENON_KEY_CPU, &minimum, quick("cpu::minimum", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
