// SPDX-License-Identifier: Apache-2.0
// aten::div on the CPU.
#include "kernels/ops/div.h"

#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

struct TrueDiv {
  static constexpr bool kScales = true;
  template <class T>
  T operator()(T a, T b) const {
    return divide(a, b);
  }
};

[[noreturn, gnu::cold, gnu::noinline]] void fail_zero() {
  fail_argument(kDivRounded.tensor, "other", "free of zeros where integers are divided", "0");
}

// A result in between, rounded to what a T holds.
template <class T>
Compute<T> as(Compute<T> value) {
  return static_cast<Compute<T>>(static_cast<T>(value));
}

// Each step of both is rounded to T, which counts for the small floats.
template <class T>
struct TruncDiv {
  using C = Compute<T>;
  C operator()(C a, C b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) fail_zero();
      // The smallest number divided by -1 does not fit; it wraps instead of trapping.
      if (std::is_signed_v<T> && b == T(-1)) return static_cast<T>(uint64_t{0} - uint64_t(a));
      return static_cast<T>(a / b);
    } else {
      return std::trunc(as<T>(a / b));
    }
  }
};

template <class T>
struct FloorDiv {
  using C = Compute<T>;
  C operator()(C a, C b) const {
    if constexpr (std::is_integral_v<T>) {
      const T quotient = TruncDiv<T>()(a, b);
      const bool inexact = b != T(-1) && a % b != 0;
      return static_cast<T>(inexact && (a < 0) != (b < 0) ? quotient - 1 : quotient);
    } else {
      // Python's floor division: exact even where a / b rounds up to an integer.
      if (b == 0) return a / b;
      const C remainder = as<T>(std::fmod(a, b));
      C quotient = as<T>(as<T>(a - remainder) / b);
      if (remainder != 0 && (b < 0) != (remainder < 0)) quotient = as<T>(quotient - 1);
      if (quotient == 0) return std::copysign(C(0), a / b);
      const C floor = std::floor(quotient);
      return as<T>(quotient - floor) > C(0.5) ? floor + 1 : floor;
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

// As PyTorch: by one number, small floats are divided in float and rounded once.
template <template <class> class Div>
Tensor rounded(const Tensor& self, const Tensor& other) {
  Elementwise plan(kDivRounded.tensor);
  plan_binary(plan, kDivRounded, self, other, Output::allocate());
  const bool by_one = plan.input_info(1).numel == 1;
  visit(plan.op(), "self", plan.dtype(), RealTypes(), [&]<class T>(Element<T>) {
    if (by_one) {
      run_scaling<T>(plan, Div<Compute<T>>());
    } else {
      run_binary<T, T>(plan, Div<T>());
    }
  });
  return plan.take_result();
}

Tensor div_mode(const Tensor& self, const Tensor& other,
                std::optional<std::string_view> rounding_mode) {
  switch (rounding_of(kDivRounded.tensor, rounding_mode)) {
    case Rounding::Floor:
      return rounded<FloorDiv>(self, other);
    case Rounding::Trunc:
      return rounded<TruncDiv>(self, other);
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
