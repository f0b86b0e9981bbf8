// SPDX-License-Identifier: Apache-2.0
// aten::linalg_matrix_exp on the CPU, by Taylor polynomials of degree 1, 2, 4, 8, 12 or 18: the
// lowest that is exact up to rounding for the matrix's norm, with the fewest known products. Larger
// matrices are halved first, and the result is squared accordingly. Degrees, bounds and
// coefficients are from P. Bader, S. Blanes, F. Casas, "Computing the matrix exponential with an
// optimized Taylor polynomial approximation", Mathematics 7 (2019), 1174.
#include "kernels/ops/linalg/linalg_matrix_exp.h"

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu/linalg/lapack.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/matmul/gemm.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// Largest norm for which each degree is sufficient.
template <class R>
struct Bounds {
  R of_1, of_2, of_4, of_8, of_12, of_18;
};
template <class R>
constexpr Bounds<R> kBounds{2.220446049250313e-16, 2.580956802971767e-08, 3.397168839976962e-04,
                            4.991228871115323e-02, 2.996158913811580e-01, 1.090863719290036e+00};
template <>
constexpr Bounds<float> kBounds<float>{1.192092800768788e-07F, 5.978858893805233e-04F,
                                       5.116619363445086e-02F, 5.800524627688768e-01F,
                                       1.461661507209034e+00F, 3.010066362817634e+00F};

// Arithmetic of square row-major matrices of one size.
template <class T>
class Powers {
 public:
  using R = Real<T>;
  using Matrix = std::vector<T>;
  struct Term {
    double factor;
    const Matrix& power;
  };

  Powers(const char* op, int64_t n) : op_(op), n_(n) {}

  Matrix times(const Matrix& a, const Matrix& b) const {
    Matrix product(a.size());
    gemm(op_, element_dtype<T>, {a.data(), n_, n_, n_, 1}, {b.data(), n_, n_, n_, 1},
         product.data());
    return product;
  }
  // Returns one * I + the sum of the terms.
  Matrix sum(double one, std::initializer_list<Term> terms) const {
    Matrix total(static_cast<size_t>(n_ * n_), T(0));
    for (const Term& term : terms) {
      const auto factor = static_cast<R>(term.factor);
      R* const to = reinterpret_cast<R*>(total.data());
      const R* const from = reinterpret_cast<const R*>(term.power.data());
      const int64_t count = n_ * n_ * int64_t{sizeof(T) / sizeof(R)};
      for (int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
    }
    for (int64_t i = 0; i < n_; ++i) {
      total[static_cast<size_t>(i * (n_ + 1))] =
          total[static_cast<size_t>(i * (n_ + 1))] + T(static_cast<R>(one));
    }
    return total;
  }
  // Returns the largest column sum of absolute values.
  R norm(const Matrix& a) const {
    std::vector<R> sums(static_cast<size_t>(n_), R(0));
    for (int64_t i = 0; i < n_ * n_; ++i) {
      if constexpr (is_complex_element<T>) {
        sums[static_cast<size_t>(i % n_)] +=
            std::hypot(a[static_cast<size_t>(i)].re, a[static_cast<size_t>(i)].im);
      } else {
        sums[static_cast<size_t>(i % n_)] += std::abs(a[static_cast<size_t>(i)]);
      }
    }
    R largest = 0;
    for (const R sum : sums) largest = sum > largest || sum != sum ? sum : largest;
    return largest;
  }

 private:
  const char* op_;
  int64_t n_;
};

template <class T>
std::vector<T> degree_8(const Powers<T>& in, const std::vector<T>& a, const std::vector<T>& a2) {
  constexpr double kRoot = 13.304134695650070725;  // sqrt(177)
  constexpr double x3 = 2.0 / 3.0, x1 = x3 * (1 + kRoot) / 88, x2 = x3 * (1 + kRoot) / 352;
  constexpr double x4 = (-271 + 29 * kRoot) / (315 * x3), x5 = 11 * (-1 + kRoot) / (1260 * x3);
  constexpr double x6 = 11 * (-9 + kRoot) / (5040 * x3), x7 = (89 - kRoot) / (5040 * x3 * x3);
  constexpr double y2 = (857 - 58 * kRoot) / 630;
  const auto a4 = in.times(a2, in.sum(0, {{x1, a}, {x2, a2}}));
  const auto a8 =
      in.times(in.sum(0, {{x3, a2}, {1, a4}}), in.sum(x4, {{x5, a}, {x6, a2}, {x7, a4}}));
  return in.sum(1, {{1, a}, {y2, a2}, {1, a8}});
}

template <class T>
std::vector<T> degree_12(const Powers<T>& in, const std::vector<T>& a, const std::vector<T>& a2) {
  const auto a3 = in.times(a, a2);
  const auto b0 = in.sum(
      9.0198e-16,
      {{0.46932117595418237389, a}, {-0.20099424927047284052, a2}, {-0.04623946134063071740, a3}});
  const auto b1 = in.sum(
      5.31597895759871264183,
      {{1.19926790417132231573, a}, {0.01179296240992997031, a2}, {0.01108844528519167989, a3}});
  const auto b2 = in.sum(
      0.18188869982170434744,
      {{0.05502798439925399070, a}, {0.09351590770535414968, a2}, {0.00610700528898058230, a3}});
  const auto b3 = in.sum(
      -2.0861320e-13,
      {{-0.13181061013830184015, a}, {-0.02027855540589259079, a2}, {-0.00675951846863086359, a3}});
  const auto a6 = in.sum(0, {{1, b2}, {1, in.times(b3, b3)}});
  return in.sum(0, {{1, b0}, {1, in.times(in.sum(0, {{1, b1}, {1, a6}}), a6)}});
}

template <class T>
std::vector<T> degree_18(const Powers<T>& in, const std::vector<T>& a) {
  const auto a2 = in.times(a, a), a3 = in.times(a, a2), a6 = in.times(a3, a3);
  const auto b0 = in.sum(0, {{-1.00365581030144618291e-01, a},
                             {-8.02924648241156932449e-03, a2},
                             {-8.92138498045729985177e-04, a3}});
  const auto b1 = in.sum(0, {{3.97849749499645077844e-01, a},
                             {1.36783778460411720168e+00, a2},
                             {4.98289622525382669416e-01, a3},
                             {-6.37898194594723280150e-04, a6}});
  const auto b2 = in.sum(-1.09676396052962061844e+01, {{1.68015813878906206114e+00, a},
                                                       {5.71779846478865511061e-02, a2},
                                                       {-6.98210122488052056106e-03, a3},
                                                       {3.34975017086070470649e-05, a6}});
  const auto b3 = in.sum(-9.04316832390810593223e-02, {{-6.76404519071381882256e-02, a},
                                                       {6.75961301770459654925e-02, a2},
                                                       {2.95552570429315521194e-02, a3},
                                                       {-1.39180257516060693404e-05, a6}});
  const auto b4 = in.sum(0, {{-9.23364619367118555360e-02, a2},
                             {-1.69364939002081722752e-02, a3},
                             {-1.40086798182036094347e-05, a6}});
  const auto a9 = in.sum(0, {{1, b3}, {1, in.times(b0, b4)}});
  return in.sum(0, {{1, b1}, {1, in.times(in.sum(0, {{1, b2}, {1, a9}}), a9)}});
}

template <class T>
std::vector<T> exponential(const Powers<T>& in, std::vector<T> a) {
  using R = Real<T>;
  constexpr const Bounds<R>& kOf = kBounds<R>;
  const R norm = in.norm(a);
  if (!std::isfinite(norm)) {
    std::fill(a.begin(), a.end(), T(std::numeric_limits<R>::quiet_NaN()));
    return a;
  }
  if (norm <= kOf.of_1) return in.sum(1, {{1, a}});
  if (norm > kOf.of_12) {
    const int halvings = std::max(0, static_cast<int>(std::ceil(std::log2(norm / kOf.of_18))));
    std::vector<T> result = degree_18(in, in.sum(0, {{std::ldexp(1.0, -halvings), a}}));
    for (int k = 0; k < halvings; ++k) result = in.times(result, result);
    return result;
  }
  const auto a2 = in.times(a, a);
  if (norm <= kOf.of_2) return in.sum(1, {{1, a}, {0.5, a2}});
  if (norm <= kOf.of_4) {
    const auto rest = in.times(a2, in.sum(0.5, {{1.0 / 6, a}, {1.0 / 24, a2}}));
    return in.sum(1, {{1, a}, {1, rest}});
  }
  return norm <= kOf.of_8 ? degree_8(in, a, a2) : degree_12(in, a, a2);
}

template <class T>
void exponentials(const char* op, const Tensor& matrices) {
  const int64_t n = matrices.size(-1), each = n * n;
  const Powers<T> in(op, n);
  auto* at = static_cast<T*>(matrices.raw_data());
  for (int64_t k = 0; k < matrices.numel(); k += each, at += each) {
    const std::vector<T> made = exponential(in, std::vector<T>(at, at + each));
    std::copy(made.begin(), made.end(), at);
  }
}

// Small floats are computed as float and rounded once.
void linalg_matrix_exp(const Call& call) {
  Tensor result = ops::matrix_exp_result(call);
  const Tensor self = *call.get<Tensor>(0);
  const bool is_small = self.dtype() == Dtype::F16 || self.dtype() == Dtype::BF16;
  const Dtype dtype = is_small ? Dtype::F32 : self.dtype();
  const bool is_in_place = !is_small && result.is_contiguous();
  const Tensor work = is_in_place ? result : Tensor::empty(self.sizes(), dtype);
  cast(work.info(), self.info());
  if (work.numel() != 0) {
    visit(call.op(), "self", dtype, LapackTypes(),
          [&]<class T>(Element<T>) { exponentials<T>(call.op(), work); });
  }
  if (!is_in_place) cast(result.info(), work.info());
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kLinalgMatrixExp() {
  return routine_of<ops::kLinalgMatrixExp, &linalg_matrix_exp>(kQuickProduct);
}

}  // namespace tenon::kernels::cpu
