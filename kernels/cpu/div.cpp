// SPDX-License-Identifier: Apache-2.0
// aten::div on the CPU.
#include "kernels/ops/div.h"

#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

struct TrueDiv {
  template <class T>
  T operator()(T a, T b) const {
    return divide(a, b);
  }
};

[[noreturn, gnu::cold, gnu::noinline]] void fail_zero() {
  fail_argument(kDivRounded.tensor, "other", "free of zeros where integers are divided", "0");
}

struct TruncDiv {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) fail_zero();
      // The smallest number divided by -1 does not fit; it wraps instead of trapping.
      if (std::is_signed_v<T> && b == T(-1)) return static_cast<T>(uint64_t{0} - uint64_t(a));
      return static_cast<T>(a / b);
    } else {
      return std::trunc(a / b);
    }
  }
};

struct FloorDiv {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      const T quotient = TruncDiv()(a, b);
      const bool inexact = b != T(-1) && a % b != 0;
      return static_cast<T>(inexact && (a < 0) != (b < 0) ? quotient - 1 : quotient);
    } else {
      // Python's floor division: exact even where a / b rounds up to an integer.
      if (b == 0) return a / b;
      const T remainder = std::fmod(a, b);
      T quotient = (a - remainder) / b;
      if (remainder != 0 && (b < 0) != (remainder < 0)) quotient -= 1;
      if (quotient == 0) return std::copysign(T(0), a / b);
      const T floor = std::floor(quotient);
      return quotient - floor > T(0.5) ? floor + 1 : floor;
    }
  }
};

Tensor div(const Tensor& self, const Tensor& other) {
  return binary<FloatAndComplexTypes>(kDiv, self, other, TrueDiv());
}
Tensor& div_(Tensor& self, const Tensor& other) {
  return binary_in_place<FloatAndComplexTypes>(kDiv, self, other, TrueDiv());
}
Tensor& div_out(const Tensor& self, const Tensor& other, Tensor& out) {
  return binary_out<FloatAndComplexTypes>(kDiv, self, other, out, TrueDiv());
}

Tensor div_mode(const Tensor& self, const Tensor& other,
                std::optional<std::string_view> rounding_mode) {
  switch (rounding_of(kDivRounded.tensor, rounding_mode)) {
    case Rounding::Floor:
      return binary<RealTypes>(kDivRounded, self, other, FloorDiv());
    case Rounding::Trunc:
      return binary<RealTypes>(kDivRounded, self, other, TruncDiv());
    default:
      return div(self, other);
  }
}

}  // namespace

void register_div(Library& aten) {
  aten.impl("div.Tensor", TENON_KEY_CPU, &div, quick("cpu::div", kQuickNumel));
  aten.impl("div_.Tensor", TENON_KEY_CPU, &div_, quick("cpu::div_", kQuickNumel));
  aten.impl("div.out", TENON_KEY_CPU, &div_out, quick("cpu::div_out", kQuickNumel));
  aten.impl("div.Tensor_mode", TENON_KEY_CPU, &div_mode, quick("cpu::div_mode", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
