// SPDX-License-Identifier: Apache-2.0
// aten::abs on the CPU.
#include "kernels/cpu/unary.h"

namespace tenon::kernels::cpu {
namespace {

struct Abs {
  template <class T>
  auto operator()(T x) const {
    if constexpr (is_complex_element<T>) {
      return std::hypot(x.real(), x.imag());
    } else if constexpr (std::is_integral_v<T>) {
      // The smallest integer has no positive counterpart and stays.
      return static_cast<T>(x < T{0} ? uint64_t{0} - static_cast<uint64_t>(x)
                                     : static_cast<uint64_t>(x));
    } else {
      return std::fabs(x);
    }
  }
};

Tensor abs(const Tensor& self) {
  return unary<Joined<NumberTypes, Float8Types>>(kAbs, self, Abs{});
}

}  // namespace

void register_abs(Library& aten) {
  aten.impl("abs", TENON_KEY_CPU, &abs, quick("cpu::abs", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
