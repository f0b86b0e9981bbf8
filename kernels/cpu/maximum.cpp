// SPDX-License-Identifier: Apache-2.0
// aten::maximum on the CPU.
#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    // NaN is the one value that differs from itself: it wins from either side.
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a) return a;
      if (b != b) return b;
    }
    return a > b ? a : b;
  }
};

Tensor maximum(const Tensor& self, const Tensor& other) {
  return binary<Joined<BoolType, RealTypes>>(kMaximum, self, other, Maximum());
}

}  // namespace

void register_maximum(Library& aten) {
  aten.impl("maximum", TENON_KEY_CPU, &maximum, quick("cpu::maximum", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
