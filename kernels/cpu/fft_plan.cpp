// SPDX-License-Identifier: Apache-2.0
// Fast Fourier transforms.
#include "kernels/cpu/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "kernels/cpu/independent.h"
#include "kernels/cpu/made_once.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {
namespace {

// Larger prime factors go by a convolution.
constexpr int64_t kLargestRadix = 13;

constexpr double kTwoPi = 6.28318530717958647692;

// exp(-2 pi i k / n), by an angle of an eighth of the circle at most.
template <class R>
Complex<R> root(int64_t k, int64_t n) {
  k %= n;
  int64_t eighths = 8 * k / n;
  double re, im;
  const auto angle = [&](int64_t part) {
    return kTwoPi * static_cast<double>(part) / static_cast<double>(8 * n);
  };
  // Away from the nearest quarter, in eighths of 1 / n.
  const int64_t quarter = (eighths + 1) / 2;
  const int64_t away = 8 * k - 2 * quarter * n;
  const double c = std::cos(angle(away)), s = std::sin(angle(away));
  switch (quarter % 4) {
    case 0:
      re = c, im = s;
      break;
    case 1:
      re = -s, im = c;
      break;
    case 2:
      re = -c, im = -s;
      break;
    default:
      re = s, im = -c;
  }
  return {static_cast<R>(re), static_cast<R>(-im)};
}

template <class R>
TENON_FUNCTOR inline Complex<R> times(Complex<R> a, Complex<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class R>
TENON_FUNCTOR inline Complex<R> plus(Complex<R> a, Complex<R> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class R>
TENON_FUNCTOR inline Complex<R> minus(Complex<R> a, Complex<R> b) {
  return {a.re - b.re, a.im - b.im};
}
// -i a
template <class R>
TENON_FUNCTOR inline Complex<R> quarter_back(Complex<R> a) {
  return {a.im, -a.re};
}

// One pass: `stride` transforms side by side of `length` numbers each become radix times as many of
// a radix-th of the length, turned by the roots of unity of the length.
template <class R, int kRadix>
[[gnu::always_inline]] inline void pass_of(const Complex<R>* in, Complex<R>* out, int64_t length,
                                           int64_t stride, const Complex<R>* turns,
                                           const Complex<R>* roots, int64_t radix) {
  const int64_t part = length / radix;
  for (int64_t p = 0; p < part; ++p) {
    const Complex<R>* const from = in + stride * p;
    Complex<R>* const to = out + stride * radix * p;
    const Complex<R>* const turn = turns + p * (radix - 1);
    if constexpr (kRadix == 2) {
      TENON_INDEPENDENT
      for (int64_t q = 0; q < stride; ++q) {
        const Complex<R> a = from[q], b = from[q + stride * part];
        to[q] = plus(a, b);
        to[q + stride] = times(minus(a, b), turn[0]);
      }
    } else if constexpr (kRadix == 4) {
      TENON_INDEPENDENT
      for (int64_t q = 0; q < stride; ++q) {
        const Complex<R> a = from[q], b = from[q + stride * part];
        const Complex<R> c = from[q + 2 * stride * part], d = from[q + 3 * stride * part];
        const Complex<R> even = plus(a, c), odd = plus(b, d);
        const Complex<R> apart = minus(a, c), turned = quarter_back(minus(b, d));
        to[q] = plus(even, odd);
        to[q + stride] = times(plus(apart, turned), turn[0]);
        to[q + 2 * stride] = times(minus(even, odd), turn[1]);
        to[q + 3 * stride] = times(minus(apart, turned), turn[2]);
      }
    } else if constexpr (kRadix == 3) {
      const R half = roots[1].re, side = roots[1].im;
      TENON_INDEPENDENT
      for (int64_t q = 0; q < stride; ++q) {
        const Complex<R> a = from[q], b = from[q + stride * part];
        const Complex<R> c = from[q + 2 * stride * part];
        const Complex<R> sum = plus(b, c), away = minus(b, c);
        const Complex<R> middle{a.re + half * sum.re, a.im + half * sum.im};
        const Complex<R> across{-side * away.im, side * away.re};
        to[q] = plus(a, sum);
        to[q + stride] = times(plus(middle, across), turn[0]);
        to[q + 2 * stride] = times(minus(middle, across), turn[1]);
      }
    } else {
      for (int64_t q = 0; q < stride; ++q) {
        Complex<R> a[kLargestRadix];
        for (int64_t j = 0; j < radix; ++j) a[j] = from[q + j * stride * part];
        for (int64_t k = 0; k < radix; ++k) {
          Complex<R> sum = a[0];
          int64_t at = 0;
          for (int64_t j = 1; j < radix; ++j) {
            at += k;
            if (at >= radix) at -= radix;
            sum = plus(sum, times(a[j], roots[at]));
          }
          to[q + k * stride] = k == 0 ? sum : times(sum, turn[k - 1]);
        }
      }
    }
  }
}

template <class R>
[[gnu::always_inline]] inline void any_pass(const Complex<R>* in, Complex<R>* out, int64_t length,
                                            int64_t stride, const Complex<R>* turns,
                                            const Complex<R>* roots, int64_t radix) {
  switch (radix) {
    case 2:
      return pass_of<R, 2>(in, out, length, stride, turns, roots, 2);
    case 3:
      return pass_of<R, 3>(in, out, length, stride, turns, roots, 3);
    case 4:
      return pass_of<R, 4>(in, out, length, stride, turns, roots, 4);
    default:
      return pass_of<R, 0>(in, out, length, stride, turns, roots, radix);
  }
}

template <class R>
using PassLoop = void (*)(const Complex<R>*, Complex<R>*, int64_t, int64_t, const Complex<R>*,
                          const Complex<R>*, int64_t);
template <class R>
void pass_base(const Complex<R>* in, Complex<R>* out, int64_t length, int64_t stride,
               const Complex<R>* turns, const Complex<R>* roots, int64_t radix) {
  any_pass(in, out, length, stride, turns, roots, radix);
}
#if defined(TENON_AVX2)
template <class R>
TENON_AVX2 void pass_avx2(const Complex<R>* in, Complex<R>* out, int64_t length, int64_t stride,
                          const Complex<R>* turns, const Complex<R>* roots, int64_t radix) {
  any_pass(in, out, length, stride, turns, roots, radix);
}
template <class R>
TENON_AVX512 void pass_avx512(const Complex<R>* in, Complex<R>* out, int64_t length, int64_t stride,
                              const Complex<R>* turns, const Complex<R>* roots, int64_t radix) {
  any_pass(in, out, length, stride, turns, roots, radix);
}
#endif
template <class R>
PassLoop<R> pass_loop() {
#if defined(TENON_AVX2)
  if (vector_level == 2) return &pass_avx512<R>;
  if (vector_level == 1) return &pass_avx2<R>;
#endif
  return &pass_base<R>;
}

// The radixes of a size; what is left of it where a prime factor is too large.
std::vector<int64_t> radixes_of(int64_t size, int64_t& rest) {
  std::vector<int64_t> radixes;
  for (const int64_t radix : {4, 2, 3, 5, 7, 11, 13}) {
    for (; size % radix == 0; size /= radix) radixes.push_back(radix);
  }
  rest = size;
  return radixes;
}

int64_t convolution_size(int64_t size) {
  int64_t best = 1;
  while (best < 2 * size - 1) best *= 2;
  // Three quarters of it may do.
  return best / 4 * 3 >= 2 * size - 1 ? best / 4 * 3 : best;
}

}  // namespace

template <class R>
FftPlan<R>::FftPlan(int64_t size) : size_(size) {
  int64_t rest = 1;
  const std::vector<int64_t> radixes = radixes_of(size, rest);
  if (rest == 1) {
    int64_t length = size;
    for (const int64_t radix : radixes) {
      passes_.push_back({radix, length, turns_.size()});
      for (int64_t p = 0; p < length / radix; ++p) {
        for (int64_t k = 1; k < radix; ++k) turns_.push_back(root<R>(p * k, length));
      }
      for (int64_t k = 0; k < radix; ++k) turns_.push_back(root<R>(k, radix));
      length /= radix;
    }
    return;
  }
  inner_ = std::make_unique<FftPlan>(convolution_size(size));
  for (int64_t k = 0; k < size; ++k) chirp_.push_back(root<R>(k * k % (2 * size), 2 * size));
  const int64_t length = inner_->size_;
  kernel_.assign(static_cast<size_t>(length), Complex<R>(0));
  for (int64_t k = 0; k < size; ++k) {
    const Complex<R> chirp = chirp_[static_cast<size_t>(k)];
    const Complex<R> back{chirp.re / static_cast<R>(length), -chirp.im / static_cast<R>(length)};
    kernel_[static_cast<size_t>(k)] = back;
    if (k > 0) kernel_[static_cast<size_t>(length - k)] = back;
  }
  std::vector<Complex<R>> work(static_cast<size_t>(inner_->work_size()));
  inner_->run(kernel_.data(), work.data(), 1, true);
}

template <class R>
std::shared_ptr<const FftPlan<R>> FftPlan<R>::of(int64_t size) {
  constexpr size_t kKept = 16;
  using Plans = std::vector<std::shared_ptr<const FftPlan>>;
  static constinit std::mutex mutex;
  static constinit MadeOnce<Plans> kept;
  Plans& plans = kept.get([] { return Plans(); });
  {
    const std::lock_guard lock(mutex);
    for (const auto& plan : plans) {
      if (plan->size_ == size) return plan;
    }
  }
  auto made = std::make_shared<const FftPlan>(size);
  const std::lock_guard lock(mutex);
  if (plans.size() == kKept) plans.erase(plans.begin());
  plans.push_back(made);
  return made;
}

template <class R>
void FftPlan<R>::run(Complex<R>* data, Complex<R>* work, int64_t lines, bool forward) const {
  // Back is forward of the conjugates, conjugated.
  const auto conjugate = [&] {
    for (int64_t i = 0; i < size_ * lines; ++i) data[i].im = -data[i].im;
  };
  if (!forward) conjugate();
  if (inner_) {
    run_chirp(data, work, lines);
  } else {
    run_forward(data, work, lines);
  }
  if (!forward) conjugate();
}

template <class R>
void FftPlan<R>::run_forward(Complex<R>* data, Complex<R>* work, int64_t lines) const {
  const PassLoop<R> loop = pass_loop<R>();
  Complex<R>* from = data;
  Complex<R>* to = work;
  int64_t stride = lines;
  for (const Pass& pass : passes_) {
    const Complex<R>* const turns = turns_.data() + pass.turns;
    const Complex<R>* const roots = turns + pass.length / pass.radix * (pass.radix - 1);
    loop(from, to, pass.length, stride, turns, roots, pass.radix);
    std::swap(from, to);
    stride *= pass.radix;
  }
  if (from != data) std::copy(from, from + size_ * lines, data);
}

template <class R>
void FftPlan<R>::run_chirp(Complex<R>* data, Complex<R>* work, int64_t lines) const {
  const int64_t length = inner_->size_;
  Complex<R>* const wide = work;
  Complex<R>* const rest = work + length * lines;
  for (int64_t k = 0; k < size_; ++k) {
    for (int64_t i = 0; i < lines; ++i) {
      wide[k * lines + i] = times(data[k * lines + i], chirp_[static_cast<size_t>(k)]);
    }
  }
  std::fill(wide + size_ * lines, wide + length * lines, Complex<R>(0));
  inner_->run(wide, rest, lines, true);
  for (int64_t k = 0; k < length; ++k) {
    for (int64_t i = 0; i < lines; ++i) {
      wide[k * lines + i] = times(wide[k * lines + i], kernel_[static_cast<size_t>(k)]);
    }
  }
  inner_->run(wide, rest, lines, false);
  for (int64_t k = 0; k < size_; ++k) {
    for (int64_t i = 0; i < lines; ++i) {
      data[k * lines + i] = times(wide[k * lines + i], chirp_[static_cast<size_t>(k)]);
    }
  }
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace tenon::kernels::cpu
