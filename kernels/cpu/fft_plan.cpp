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

// A line of fewer numbers is transformed at once; the shorter side of a split one has so many.
constexpr int64_t kLeastSplit = 1024;
constexpr int64_t kLeastSide = 16;

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
Complex<R> times(Complex<R> a, Complex<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Where a pass reads and writes: real and imaginary parts lie apart, so that loops are vectors.
template <class R>
struct Planes {
  const R* in_re;
  const R* in_im;
  R* out_re;
  R* out_im;
};

// Turns a number by a root of unity and writes it.
template <class R>
TENON_FUNCTOR inline void put(R* re, R* im, int64_t at, R a_re, R a_im, Complex<R> turn) {
  re[at] = a_re * turn.re - a_im * turn.im;
  im[at] = a_re * turn.im + a_im * turn.re;
}

// One pass: `stride` transforms side by side of `length` numbers each become radix times as many of
// a radix-th of the length, turned by the roots of unity of the length.
template <class R, int kRadix>
[[gnu::always_inline]] inline void pass_of(const Planes<R>& planes, int64_t length, int64_t stride,
                                           const Complex<R>* turns, const Complex<R>* roots) {
  const int64_t part = length / kRadix, apart = stride * part;
  for (int64_t p = 0; p < part; ++p) {
    const R* const re = planes.in_re + stride * p;
    const R* const im = planes.in_im + stride * p;
    R* const to_re = planes.out_re + stride * kRadix * p;
    R* const to_im = planes.out_im + stride * kRadix * p;
    const Complex<R>* const turn = turns + p * (kRadix - 1);
    if constexpr (kRadix == 2) {
      const Complex<R> first = turn[0];
      TENON_INDEPENDENT
      for (int64_t q = 0; q < stride; ++q) {
        const R a_re = re[q], a_im = im[q], b_re = re[q + apart], b_im = im[q + apart];
        to_re[q] = a_re + b_re;
        to_im[q] = a_im + b_im;
        put(to_re, to_im, q + stride, a_re - b_re, a_im - b_im, first);
      }
    } else if constexpr (kRadix == 4) {
      const Complex<R> first = turn[0], second = turn[1], third = turn[2];
      TENON_INDEPENDENT
      for (int64_t q = 0; q < stride; ++q) {
        const R a_re = re[q], a_im = im[q], b_re = re[q + apart], b_im = im[q + apart];
        const R c_re = re[q + 2 * apart], c_im = im[q + 2 * apart];
        const R d_re = re[q + 3 * apart], d_im = im[q + 3 * apart];
        const R even_re = a_re + c_re, even_im = a_im + c_im;
        const R odd_re = b_re + d_re, odd_im = b_im + d_im;
        const R away_re = a_re - c_re, away_im = a_im - c_im;
        const R back_re = b_im - d_im, back_im = d_re - b_re;  // -i (b - d)
        to_re[q] = even_re + odd_re;
        to_im[q] = even_im + odd_im;
        put(to_re, to_im, q + stride, away_re + back_re, away_im + back_im, first);
        put(to_re, to_im, q + 2 * stride, even_re - odd_re, even_im - odd_im, second);
        put(to_re, to_im, q + 3 * stride, away_re - back_re, away_im - back_im, third);
      }
    } else if constexpr (kRadix == 3) {
      const Complex<R> first = turn[0], second = turn[1];
      const R half = roots[1].re, side = roots[1].im;
      TENON_INDEPENDENT
      for (int64_t q = 0; q < stride; ++q) {
        const R a_re = re[q], a_im = im[q], b_re = re[q + apart], b_im = im[q + apart];
        const R c_re = re[q + 2 * apart], c_im = im[q + 2 * apart];
        const R sum_re = b_re + c_re, sum_im = b_im + c_im;
        const R middle_re = a_re + half * sum_re, middle_im = a_im + half * sum_im;
        const R across_re = side * (c_im - b_im), across_im = side * (b_re - c_re);
        to_re[q] = a_re + sum_re;
        to_im[q] = a_im + sum_im;
        put(to_re, to_im, q + stride, middle_re + across_re, middle_im + across_im, first);
        put(to_re, to_im, q + 2 * stride, middle_re - across_re, middle_im - across_im, second);
      }
    } else {
      for (int64_t k = 0; k < kRadix; ++k) {
        const Complex<R> whole = k == 0 ? Complex<R>(1) : turn[k - 1];
        TENON_INDEPENDENT
        for (int64_t q = 0; q < stride; ++q) {
          R sum_re = re[q], sum_im = im[q];
          for (int64_t j = 1; j < kRadix; ++j) {
            const Complex<R> root = roots[j * k % kRadix];
            const R a_re = re[q + j * apart], a_im = im[q + j * apart];
            sum_re += a_re * root.re - a_im * root.im;
            sum_im += a_re * root.im + a_im * root.re;
          }
          put(to_re, to_im, q + k * stride, sum_re, sum_im, whole);
        }
      }
    }
  }
}

template <class R>
[[gnu::always_inline]] inline void any_pass(const Planes<R>& planes, int64_t length, int64_t stride,
                                            const Complex<R>* turns, const Complex<R>* roots,
                                            int64_t radix) {
  switch (radix) {
    case 2:
      return pass_of<R, 2>(planes, length, stride, turns, roots);
    case 3:
      return pass_of<R, 3>(planes, length, stride, turns, roots);
    case 4:
      return pass_of<R, 4>(planes, length, stride, turns, roots);
    case 5:
      return pass_of<R, 5>(planes, length, stride, turns, roots);
    case 7:
      return pass_of<R, 7>(planes, length, stride, turns, roots);
    case 11:
      return pass_of<R, 11>(planes, length, stride, turns, roots);
    default:
      return pass_of<R, kLargestRadix>(planes, length, stride, turns, roots);
  }
}

template <class R>
using PassLoop = void (*)(const Planes<R>&, int64_t, int64_t, const Complex<R>*, const Complex<R>*,
                          int64_t);
template <class R>
void pass_base(const Planes<R>& planes, int64_t length, int64_t stride, const Complex<R>* turns,
               const Complex<R>* roots, int64_t radix) {
  any_pass(planes, length, stride, turns, roots, radix);
}
#if defined(TENON_AVX2)
template <class R>
TENON_AVX2 void pass_avx2(const Planes<R>& planes, int64_t length, int64_t stride,
                          const Complex<R>* turns, const Complex<R>* roots, int64_t radix) {
  any_pass(planes, length, stride, turns, roots, radix);
}
template <class R>
TENON_AVX512 void pass_avx512(const Planes<R>& planes, int64_t length, int64_t stride,
                              const Complex<R>* turns, const Complex<R>* roots, int64_t radix) {
  any_pass(planes, length, stride, turns, roots, radix);
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
    split(radixes);
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
  std::vector<R> planes(static_cast<size_t>(2 * length));
  std::vector<R> work(static_cast<size_t>(2 * inner_->work_size()));
  for (int64_t k = 0; k < length; ++k) {
    planes[static_cast<size_t>(k)] = kernel_[static_cast<size_t>(k)].re;
    planes[static_cast<size_t>(length + k)] = kernel_[static_cast<size_t>(k)].im;
  }
  inner_->run(planes.data(), planes.data() + length, work.data(), 1, true);
  for (int64_t k = 0; k < length; ++k) {
    kernel_[static_cast<size_t>(k)] = {planes[static_cast<size_t>(k)],
                                       planes[static_cast<size_t>(length + k)]};
  }
}

// A long line by itself is transformed as a matrix is: along its columns, side by side, and then
// along its rows. Both sides are products of the radixes, as near to each other as these allow.
template <class R>
void FftPlan<R>::split(const std::vector<int64_t>& radixes) {
  if (size_ < kLeastSplit) return;
  int64_t columns = 1, rows = 1;
  for (const int64_t radix : radixes) (columns < rows ? columns : rows) *= radix;
  if (columns < kLeastSide || rows < kLeastSide) return;
  columns_ = std::make_unique<FftPlan>(columns);
  rows_ = std::make_unique<FftPlan>(rows);
  for (int64_t a = 0; a < columns; ++a) {
    for (int64_t b = 0; b < rows; ++b) chirp_.push_back(root<R>(a * b, size_));
  }
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
void FftPlan<R>::run(R* re, R* im, R* work, int64_t lines, bool forward) const {
  // Back is forward with real and imaginary parts exchanged, before and after.
  if (!forward) std::swap(re, im);
  if (inner_) {
    run_chirp(re, im, work, lines);
  } else if (columns_ && lines == 1) {
    run_split(re, im, work);
  } else {
    run_forward(re, im, work, lines);
  }
}

template <class R>
void FftPlan<R>::run_forward(R* re, R* im, R* work, int64_t lines) const {
  const PassLoop<R> loop = pass_loop<R>();
  const int64_t count = size_ * lines;
  R *from_re = re, *from_im = im, *to_re = work, *to_im = work + count;
  int64_t stride = lines;
  for (const Pass& pass : passes_) {
    const Complex<R>* const turns = turns_.data() + pass.turns;
    const Complex<R>* const roots = turns + pass.length / pass.radix * (pass.radix - 1);
    loop({from_re, from_im, to_re, to_im}, pass.length, stride, turns, roots, pass.radix);
    std::swap(from_re, to_re);
    std::swap(from_im, to_im);
    stride *= pass.radix;
  }
  if (from_re == re) return;
  std::copy_n(from_re, count, re);
  std::copy_n(from_im, count, im);
}

template <class R>
void FftPlan<R>::run_split(R* re, R* im, R* work) const {
  const int64_t columns = columns_->size_, rows = rows_->size_;
  columns_->run_forward(re, im, work, rows);
  R* const turned_re = work;
  R* const turned_im = work + size_;
  // By blocks, whose lines stay in the nearest cache.
  constexpr int64_t kBlock = 16;
  for (int64_t first = 0; first < rows; first += kBlock) {
    const int64_t end = std::min(first + kBlock, rows);
    for (int64_t a = 0; a < columns; ++a) {
      for (int64_t b = first; b < end; ++b) {
        const int64_t at = a * rows + b;
        put(turned_re, turned_im, b * columns + a, re[at], im[at], chirp_[static_cast<size_t>(at)]);
      }
    }
  }
  rows_->run_forward(turned_re, turned_im, work + 2 * size_, columns);
  std::copy_n(turned_re, size_, re);
  std::copy_n(turned_im, size_, im);
}

template <class R>
void FftPlan<R>::run_chirp(R* re, R* im, R* work, int64_t lines) const {
  const int64_t length = inner_->size_, count = length * lines;
  R* const wide_re = work;
  R* const wide_im = work + count;
  R* const rest = wide_im + count;
  const auto turn = [&](const R* from_re, const R* from_im, R* to_re, R* to_im, int64_t size,
                        const std::vector<Complex<R>>& by) {
    for (int64_t k = 0; k < size; ++k) {
      const Complex<R> factor = by[static_cast<size_t>(k)];
      TENON_INDEPENDENT
      for (int64_t at = k * lines; at < (k + 1) * lines; ++at) {
        put(to_re, to_im, at, from_re[at], from_im[at], factor);
      }
    }
  };
  turn(re, im, wide_re, wide_im, size_, chirp_);
  std::fill(wide_re + size_ * lines, wide_re + count, R(0));
  std::fill(wide_im + size_ * lines, wide_im + count, R(0));
  inner_->run(wide_re, wide_im, rest, lines, true);
  turn(wide_re, wide_im, wide_re, wide_im, length, kernel_);
  inner_->run(wide_re, wide_im, rest, lines, false);
  turn(wide_re, wide_im, re, im, size_, chirp_);
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace tenon::kernels::cpu
