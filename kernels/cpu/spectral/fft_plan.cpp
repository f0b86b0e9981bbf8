// SPDX-License-Identifier: Apache-2.0
// Fast Fourier transforms.
#include "kernels/cpu/spectral/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "kernels/cpu/lazy_static.h"
#include "kernels/cpu/loops/independent.h"
#include "kernels/cpu/loops/square.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {
namespace {

// Larger prime factors are handled by a convolution.
constexpr int64_t kLargestRadix = 13;

// Shorter lines are transformed at once; longer ones are split, with at least kLeastSide on the
// shorter side.
constexpr int64_t kLeastSplit = 1024;
constexpr int64_t kLeastSide = 16;

constexpr double kTwoPi = 6.28318530717958647692;

// Returns exp(-2 pi i k / n), computed from an angle of at most an eighth of a turn for precision.
template <class R>
Complex<R> root(int64_t k, int64_t n) {
  k %= n;
  int64_t eighths = 8 * k / n;
  double re, im;
  const auto angle = [&](int64_t part) {
    return kTwoPi * static_cast<double>(part) / static_cast<double>(8 * n);
  };
  // The distance from the nearest quarter turn, in eighths of 1 / n.
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

// The source and target of a pass. Real and imaginary parts are separate, so that loops vectorize.
template <class R>
struct Planes {
  const R* in_re;
  const R* in_im;
  R* out_re;
  R* out_im;
};

// Multiplies a number by a root of unity and writes it.
template <class R>
TENON_FUNCTOR inline void put(R* re, R* im, int64_t at, Complex<R> a, Complex<R> turn) {
  re[at] = a.re * turn.re - a.im * turn.im;
  im[at] = a.re * turn.im + a.im * turn.re;
}

// Calls `body(q)` for all q below `stride`. With kWhole the inner loop is one vector, without a
// remainder.
template <class R, bool kWhole, class Body>
[[gnu::always_inline]] inline void each_beside(int64_t stride, Body&& body) {
  if constexpr (kWhole) {
    for (int64_t first = 0; first < stride; first += kFftSide<R>) {
      TENON_INDEPENDENT
      for (int64_t q = first; q < first + kFftSide<R>; ++q) body(q);
    }
  } else {
    TENON_INDEPENDENT
    for (int64_t q = 0; q < stride; ++q) body(q);
  }
}

template <class R>
TENON_FUNCTOR inline Complex<R> plus(Complex<R> a, Complex<R> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class R>
TENON_FUNCTOR inline Complex<R> minus(Complex<R> a, Complex<R> b) {
  return {a.re - b.re, a.im - b.im};
}
// Returns a * -i.
template <class R>
TENON_FUNCTOR inline Complex<R> quarter_back(Complex<R> a) {
  return {a.im, -a.re};
}

// The transform of four numbers. It avoids arrays, which compilers would keep in memory.
template <class R>
struct FourPoint {
  Complex<R> first, second, third, fourth;

  TENON_FUNCTOR inline FourPoint(Complex<R> a, Complex<R> b, Complex<R> c, Complex<R> d) {
    const Complex<R> even = plus(a, c), odd = plus(b, d);
    const Complex<R> away = minus(a, c), back = quarter_back(minus(b, d));
    first = plus(even, odd);
    second = plus(away, back);
    third = minus(even, odd);
    fourth = minus(away, back);
  }
};

// One pass: each of `stride` interleaved transforms of `length` numbers becomes kRadix transforms
// of length / kRadix numbers, multiplied by roots of unity (twiddle factors).
template <class R, int kRadix, bool kWhole>
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
      each_beside<R, kWhole>(stride, [&](int64_t q) {
        const R a_re = re[q], a_im = im[q], b_re = re[q + apart], b_im = im[q + apart];
        to_re[q] = a_re + b_re;
        to_im[q] = a_im + b_im;
        put(to_re, to_im, q + stride, {a_re - b_re, a_im - b_im}, first);
      });
    } else if constexpr (kRadix == 4) {
      const Complex<R> turn1 = turn[0], turn2 = turn[1], turn3 = turn[2];
      each_beside<R, kWhole>(stride, [&](int64_t q) {
        const auto at = [&](int64_t j) { return Complex<R>{re[q + j * apart], im[q + j * apart]}; };
        const FourPoint<R> four(at(0), at(1), at(2), at(3));
        to_re[q] = four.first.re;
        to_im[q] = four.first.im;
        put(to_re, to_im, q + stride, four.second, turn1);
        put(to_re, to_im, q + 2 * stride, four.third, turn2);
        put(to_re, to_im, q + 3 * stride, four.fourth, turn3);
      });
    } else if constexpr (kRadix == 8) {
      const Complex<R> turn1 = turn[0], turn2 = turn[1], turn3 = turn[2], turn4 = turn[3];
      const Complex<R> turn5 = turn[4], turn6 = turn[5], turn7 = turn[6];
      each_beside<R, kWhole>(stride, [&](int64_t q) {
        const auto at = [&](int64_t j) { return Complex<R>{re[q + j * apart], im[q + j * apart]}; };
        // Sums of opposite numbers yield the even results, and rotated differences the odd ones.
        constexpr R kDiagonal = R(0.70710678118654752440);
        const Complex<R> b = minus(at(1), at(5)), d = minus(at(3), at(7));
        const FourPoint<R> odd(minus(at(0), at(4)),
                               {(b.re + b.im) * kDiagonal, (b.im - b.re) * kDiagonal},
                               quarter_back(minus(at(2), at(6))),
                               {(d.im - d.re) * kDiagonal, (d.re + d.im) * -kDiagonal});
        const FourPoint<R> even(plus(at(0), at(4)), plus(at(1), at(5)), plus(at(2), at(6)),
                                plus(at(3), at(7)));
        to_re[q] = even.first.re;
        to_im[q] = even.first.im;
        put(to_re, to_im, q + stride, odd.first, turn1);
        put(to_re, to_im, q + 2 * stride, even.second, turn2);
        put(to_re, to_im, q + 3 * stride, odd.second, turn3);
        put(to_re, to_im, q + 4 * stride, even.third, turn4);
        put(to_re, to_im, q + 5 * stride, odd.third, turn5);
        put(to_re, to_im, q + 6 * stride, even.fourth, turn6);
        put(to_re, to_im, q + 7 * stride, odd.fourth, turn7);
      });
    } else if constexpr (kRadix == 3) {
      const Complex<R> first = turn[0], second = turn[1];
      const R half = roots[1].re, side = roots[1].im;
      each_beside<R, kWhole>(stride, [&](int64_t q) {
        const R a_re = re[q], a_im = im[q], b_re = re[q + apart], b_im = im[q + apart];
        const R c_re = re[q + 2 * apart], c_im = im[q + 2 * apart];
        const R sum_re = b_re + c_re, sum_im = b_im + c_im;
        const R middle_re = a_re + half * sum_re, middle_im = a_im + half * sum_im;
        const R across_re = side * (c_im - b_im), across_im = side * (b_re - c_re);
        to_re[q] = a_re + sum_re;
        to_im[q] = a_im + sum_im;
        put(to_re, to_im, q + stride, {middle_re + across_re, middle_im + across_im}, first);
        put(to_re, to_im, q + 2 * stride, {middle_re - across_re, middle_im - across_im}, second);
      });
    } else {
      for (int64_t k = 0; k < kRadix; ++k) {
        const Complex<R> whole = k == 0 ? Complex<R>(1) : turn[k - 1];
        each_beside<R, kWhole>(stride, [&](int64_t q) {
          R sum_re = re[q], sum_im = im[q];
          for (int64_t j = 1; j < kRadix; ++j) {
            const Complex<R> root = roots[j * k % kRadix];
            const R a_re = re[q + j * apart], a_im = im[q + j * apart];
            sum_re += a_re * root.re - a_im * root.im;
            sum_im += a_re * root.im + a_im * root.re;
          }
          put(to_re, to_im, q + k * stride, {sum_re, sum_im}, whole);
        });
      }
    }
  }
}

template <class R, bool kWhole>
[[gnu::always_inline]] inline void any_pass(const Planes<R>& planes, int64_t length, int64_t stride,
                                            const Complex<R>* turns, const Complex<R>* roots,
                                            int64_t radix) {
  switch (radix) {
    case 2:
      return pass_of<R, 2, kWhole>(planes, length, stride, turns, roots);
    case 3:
      return pass_of<R, 3, kWhole>(planes, length, stride, turns, roots);
    case 4:
      return pass_of<R, 4, kWhole>(planes, length, stride, turns, roots);
    case 5:
      return pass_of<R, 5, kWhole>(planes, length, stride, turns, roots);
    case 7:
      return pass_of<R, 7, kWhole>(planes, length, stride, turns, roots);
    case 8:
      return pass_of<R, 8, kWhole>(planes, length, stride, turns, roots);
    case 11:
      return pass_of<R, 11, kWhole>(planes, length, stride, turns, roots);
    default:
      return pass_of<R, kLargestRadix, kWhole>(planes, length, stride, turns, roots);
  }
}
template <class R>
[[gnu::always_inline]] inline void any_pass(const Planes<R>& planes, int64_t length, int64_t stride,
                                            const Complex<R>* turns, const Complex<R>* roots,
                                            int64_t radix) {
  if (stride % kFftSide<R> == 0) {
    any_pass<R, true>(planes, length, stride, turns, roots, radix);
  } else {
    any_pass<R, false>(planes, length, stride, turns, roots, radix);
  }
}

template <class R>
using PassLoop = void (*)(const Planes<R>&, int64_t, int64_t, const Complex<R>*, const Complex<R>*,
                          int64_t);
template <class R>
[[gnu::flatten]] void pass_base(const Planes<R>& planes, int64_t length, int64_t stride,
                                const Complex<R>* turns, const Complex<R>* roots, int64_t radix) {
  any_pass(planes, length, stride, turns, roots, radix);
}
#if defined(TENON_AVX2)
template <class R>
TENON_AVX2 [[gnu::flatten]] void pass_avx2(const Planes<R>& planes, int64_t length, int64_t stride,
                                           const Complex<R>* turns, const Complex<R>* roots,
                                           int64_t radix) {
  any_pass(planes, length, stride, turns, roots, radix);
}
template <class R>
TENON_AVX512 [[gnu::flatten]] void pass_avx512(const Planes<R>& planes, int64_t length,
                                               int64_t stride, const Complex<R>* turns,
                                               const Complex<R>* roots, int64_t radix) {
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

// Returns the radixes of a size. `rest` is the remaining factor with prime factors that are too
// large.
std::vector<int64_t> radixes_of(int64_t size, int64_t& rest) {
  std::vector<int64_t> radixes;
  while (size % 2 == 0) {
    // Prefers 4 and 4 to 8 and 2.
    const int64_t radix = size % 8 == 0 && (size % 16 != 0 || size % 32 == 0) ? 8
                          : size % 4 == 0                                     ? 4
                                                                              : 2;
    radixes.push_back(radix);
    size /= radix;
  }
  for (const int64_t radix : {3, 5, 7, 11, 13}) {
    for (; size % radix == 0; size /= radix) radixes.push_back(radix);
  }
  rest = size;
  return radixes;
}

int64_t convolution_size(int64_t size) {
  int64_t best = 1;
  while (best < 2 * size - 1) best *= 2;
  // Three quarters of it may be sufficient.
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
    split();
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
  const Parts parts = inner_->run({planes.data(), planes.data() + length}, work.data(), 1, true);
  for (int64_t k = 0; k < length; ++k) {
    kernel_[static_cast<size_t>(k)] = {parts.re[k], parts.im[k]};
  }
}

// A single long line is transformed as a matrix: along its columns, side by side, and then along
// its rows. The matrix is as square as possible, preferably with sides that are whole vectors.
template <class R>
void FftPlan<R>::split() {
  if (size_ < kLeastSplit) return;
  const auto is_whole = [](int64_t side) { return side % kFftSide<R> == 0; };
  int64_t columns = 0, whole = 0;
  for (int64_t side = kLeastSide; side * side <= size_; ++side) {
    if (size_ % side != 0) continue;
    columns = side;
    if (is_whole(side) && is_whole(size_ / side)) whole = side;
  }
  if (columns == 0) return;
  if (whole != 0) columns = whole;
  const int64_t rows = size_ / columns;
  columns_ = std::make_unique<FftPlan>(columns);
  rows_ = std::make_unique<FftPlan>(rows);
  for (int64_t a = 0; a < columns; ++a) {
    for (int64_t b = 0; b < rows; ++b) {
      const Complex<R> turn = root<R>(a * b, size_);
      roots_re_.push_back(turn.re);
      roots_im_.push_back(turn.im);
    }
  }
}

template <class R>
std::shared_ptr<const FftPlan<R>> FftPlan<R>::of(int64_t size) {
  constexpr size_t kKept = 16;
  using Plans = std::vector<std::shared_ptr<const FftPlan>>;
  static constinit std::mutex mutex;
  static constinit LazyStatic<Plans> kept;
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
FftParts<R> FftPlan<R>::run(Parts parts, R* work, int64_t lines, bool forward) const {
  // The backward transform is the forward one with real and imaginary parts exchanged before and
  // after.
  if (!forward) std::swap(parts.re, parts.im);
  if (inner_) {
    run_chirp(parts, work, lines);
  } else if (columns_ && lines == 1) {
    parts = run_split(parts, work);
  } else {
    parts = run_forward(parts, work, lines);
  }
  if (!forward) std::swap(parts.re, parts.im);
  return parts;
}

template <class R>
FftParts<R> FftPlan<R>::run_forward(Parts from, R* work, int64_t lines) const {
  const PassLoop<R> loop = pass_loop<R>();
  Parts to{work, work + size_ * lines};
  int64_t stride = lines;
  for (const Pass& pass : passes_) {
    const Complex<R>* const turns = turns_.data() + pass.turns;
    const Complex<R>* const roots = turns + pass.length / pass.radix * (pass.radix - 1);
    loop({from.re, from.im, to.re, to.im}, pass.length, stride, turns, roots, pass.radix);
    std::swap(from, to);
    stride *= pass.radix;
  }
  return from;
}

template <class R>
FftParts<R> FftPlan<R>::run_split(Parts parts, R* work) const {
  const int64_t columns = columns_->size_, rows = rows_->size_;
  Parts turned{work, work + size_};
  const Parts columned = columns_->run_forward(parts, work, rows);
  if (columned.re == turned.re) turned = parts;
  turn_columns(columned, turned);
  return rows_->run_forward(turned, work + 2 * size_, columns);
}

// Transposes a matrix and multiplies its elements by their roots, by blocks whose lines stay in the
// L1 cache.
template <class R>
void FftPlan<R>::turn_columns(const Parts& from, const Parts& to) const {
  constexpr int kSide = Square<R>::kSide;
  constexpr int64_t kBlock = 16;
  const int64_t columns = columns_->size_, rows = rows_->size_;
  const auto square = [&](int64_t a, int64_t b) {
    Square<R> re, im;
    for (int j = 0; j < kSide; ++j) {
      const int64_t at = (a + j) * rows + b;
      Square<R> number, root;
      number.load(0, from.re + at);
      number.load(1, from.im + at);
      root.load(0, roots_re_.data() + at);
      root.load(1, roots_im_.data() + at);
      re.rows[j] = number.rows[0] * root.rows[0] - number.rows[1] * root.rows[1];
      im.rows[j] = number.rows[0] * root.rows[1] + number.rows[1] * root.rows[0];
    }
    re.transpose();
    im.transpose();
    for (int j = 0; j < kSide; ++j) {
      const int64_t at = (b + j) * columns + a;
      re.store(j, to.re + at);
      im.store(j, to.im + at);
    }
  };
  const auto one = [&](int64_t a, int64_t b) {
    const auto at = static_cast<size_t>(a * rows + b);
    put(to.re, to.im, b * columns + a, {from.re[at], from.im[at]}, {roots_re_[at], roots_im_[at]});
  };
  const int64_t squared = columns - columns % kSide;
  for (int64_t first = 0; first < rows; first += kBlock) {
    const int64_t end = std::min(first + kBlock, rows), whole = end - (end - first) % kSide;
    for (int64_t a = 0; a < squared; a += kSide) {
      for (int64_t b = first; b < whole; b += kSide) square(a, b);
    }
    for (int64_t a = 0; a < columns; ++a) {
      for (int64_t b = a < squared ? whole : first; b < end; ++b) one(a, b);
    }
  }
}

template <class R>
void FftPlan<R>::run_chirp(const Parts& parts, R* work, int64_t lines) const {
  const int64_t length = inner_->size_, count = length * lines;
  const Parts wide{work, work + count};
  R* const rest = wide.im + count;
  const auto turn = [&](const Parts& from, const Parts& to, int64_t size,
                        const std::vector<Complex<R>>& by) {
    for (int64_t k = 0; k < size; ++k) {
      const Complex<R> factor = by[static_cast<size_t>(k)];
      TENON_INDEPENDENT
      for (int64_t at = k * lines; at < (k + 1) * lines; ++at) {
        put(to.re, to.im, at, {from.re[at], from.im[at]}, factor);
      }
    }
  };
  turn(parts, wide, size_, chirp_);
  std::fill(wide.re + size_ * lines, wide.re + count, R(0));
  std::fill(wide.im + size_ * lines, wide.im + count, R(0));
  turn(inner_->run(wide, rest, lines, true), wide, length, kernel_);
  turn(inner_->run(wide, rest, lines, false), parts, size_, chirp_);
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace tenon::kernels::cpu
