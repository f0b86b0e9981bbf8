// SPDX-License-Identifier: Apache-2.0
// Gathers lines of a tensor side by side for a transform, with separate real and imaginary parts,
// and scatters them back.
#pragma once

#include <algorithm>

#include "kernels/common/maths/complex.h"
#include "kernels/cpu/loops/independent.h"
#include "kernels/cpu/loops/square.h"
#include "kernels/cpu/spectral/fft_plan.h"

namespace tenon::kernels::cpu {

// Lines side by side. Two real lines are the parts of one complex line.
template <class R>
struct LinePair {
  FftParts<R> parts;
  int64_t lines;

  // Returns the first element of real line i.
  R* part_of(int64_t i) const { return (i % 2 == 0 ? parts.re : parts.im) + i / 2; }
};

// The offsets of lines, and the distance between their elements.
struct Starts {
  const int64_t* at;
  int64_t step;
};

// Returns true if the lines are adjacent columns.
inline bool are_columns(const Starts& starts, int64_t lines) {
  for (int64_t i = 1; i < lines; ++i) {
    if (starts.at[i] != starts.at[0] + i) return false;
  }
  return true;
}

// Calls `square(i, k)` for squares of kLines lines from line i on and kElements elements from
// element k on, in the first `squared` lines. The remaining elements of `lines` lines of `size` are
// passed to `each(i, first, end)`. The order keeps source and target in the L1 cache, since one of
// them has the lines side by side.
template <int64_t kLines, int64_t kElements, class InSquares, class Each>
[[gnu::always_inline]] inline void by_parts(int64_t lines, int64_t size, int64_t squared,
                                            InSquares&& square, Each&& each) {
  const int64_t part = lines == 1 ? size : 16;
  squared -= squared % kLines;
  for (int64_t first = 0; first < size; first += part) {
    const int64_t end = std::min(first + part, size);
    const int64_t rest = end - (end - first) % kElements;
    for (int64_t i = 0; i < squared; i += kLines) {
      for (int64_t k = first; k < rest; k += kElements) square(i, k);
    }
    if (rest < end) {
      for (int64_t i = 0; i < squared; ++i) each(i, rest, end);
    }
    for (int64_t i = squared; i < lines; ++i) each(i, first, end);
  }
}

// ---- Complex lines ------------------------------------------------------------------------------

// Number of complex elements of each of kSide lines in a square of numbers.
template <class R>
inline constexpr int64_t kPairs = Square<R>::kSide / 2;

// Writes kPairs elements of kSide lines, whose real and imaginary parts alternate in the square's
// rows.
template <class R>
[[gnu::always_inline]] inline void write_lines(Square<R>& parts, Complex<R>* target,
                                               const int64_t* starts, int64_t apart, int64_t k) {
  parts.transpose();
  for (int64_t j = 0; j < Square<R>::kSide; ++j) {
    parts.store(static_cast<int>(j), target + starts[j * apart] + k);
  }
}

// Reverses write_lines().
template <class R>
[[gnu::always_inline]] inline Square<R> read_lines(const Complex<R>* source, const int64_t* starts,
                                                   int64_t apart, int64_t k) {
  Square<R> parts;
  for (int64_t j = 0; j < Square<R>::kSide; ++j) {
    parts.load(static_cast<int>(j), source + starts[j * apart] + k);
  }
  parts.transpose();
  return parts;
}

template <class R>
void take_columns(const LinePair<R>& side, const Complex<R>* source, int64_t step, int64_t size) {
  const int64_t lines = side.lines;
  for (int64_t k = 0; k < size; ++k) {
    const Complex<R>* const row = source + k * step;
    R* const re = side.parts.re + k * lines;
    R* const im = side.parts.im + k * lines;
    TENON_INDEPENDENT
    for (int64_t i = 0; i < lines; ++i) {
      re[i] = row[i].re;
      im[i] = row[i].im;
    }
  }
}
template <class R>
void give_columns(const LinePair<R>& side, Complex<R>* target, int64_t step, int64_t kept,
                  R factor) {
  const int64_t lines = side.lines;
  for (int64_t k = 0; k < kept; ++k) {
    Complex<R>* const row = target + k * step;
    const R* const re = side.parts.re + k * lines;
    const R* const im = side.parts.im + k * lines;
    TENON_INDEPENDENT
    for (int64_t i = 0; i < lines; ++i) {
      row[i].re = re[i] * factor;
      row[i].im = im[i] * factor;
    }
  }
}

template <class R>
void take_lines(const LinePair<R>& side, const Complex<R>* source, const Starts& from,
                int64_t size) {
  if (side.lines > 1 && are_columns(from, side.lines)) {
    return take_columns(side, source + from.at[0], from.step, size);
  }
  const auto square = [&](int64_t i, int64_t k) {
    const Square<R> parts = read_lines(source, from.at + i, 1, k);
    for (int64_t j = 0; j < kPairs<R>; ++j) {
      const int64_t at = (k + j) * side.lines + i;
      parts.store(static_cast<int>(2 * j), side.parts.re + at);
      parts.store(static_cast<int>(2 * j + 1), side.parts.im + at);
    }
  };
  const auto each = [&](int64_t i, int64_t first, int64_t end) {
    const Complex<R>* const line = source + from.at[i];
    R* const re = side.parts.re + i;
    R* const im = side.parts.im + i;
    const int64_t step = from.step, apart = side.lines;
    TENON_INDEPENDENT
    for (int64_t k = first; k < end; ++k) {
      re[k * apart] = line[k * step].re;
      im[k * apart] = line[k * step].im;
    }
  };
  const int64_t squared = from.step == 1 ? side.lines : 0;
  by_parts<Square<R>::kSide, kPairs<R>>(side.lines, size, squared, square, each);
}

template <class R>
void give_lines(const LinePair<R>& side, Complex<R>* target, const Starts& to, int64_t kept,
                R factor) {
  if (side.lines > 1 && are_columns(to, side.lines)) {
    return give_columns(side, target + to.at[0], to.step, kept, factor);
  }
  const auto square = [&](int64_t i, int64_t k) {
    Square<R> parts;
    for (int64_t j = 0; j < kPairs<R>; ++j) {
      const int64_t at = (k + j) * side.lines + i;
      parts.load(static_cast<int>(2 * j), side.parts.re + at);
      parts.load(static_cast<int>(2 * j + 1), side.parts.im + at);
    }
    for (auto& row : parts.rows) row *= factor;
    write_lines(parts, target, to.at + i, 1, k);
  };
  const auto each = [&](int64_t i, int64_t first, int64_t end) {
    Complex<R>* const line = target + to.at[i];
    const R* const re = side.parts.re + i;
    const R* const im = side.parts.im + i;
    const int64_t step = to.step, apart = side.lines;
    TENON_INDEPENDENT
    for (int64_t k = first; k < end; ++k) {
      line[k * step].re = re[k * apart] * factor;
      line[k * step].im = im[k * apart] * factor;
    }
  };
  const int64_t squared = to.step == 1 ? side.lines : 0;
  by_parts<Square<R>::kSide, kPairs<R>>(side.lines, kept, squared, square, each);
}

// ---- Lines of reals, of which there are `count` -------------------------------------------------

template <class R>
void take_reals(const LinePair<R>& side, const R* source, const Starts& from, int64_t count,
                int64_t size) {
  constexpr int64_t kSide = Square<R>::kSide;
  // Reads kSide lines of real parts, and the adjacent lines of imaginary parts.
  const auto square = [&](int64_t i, int64_t k) {
    for (int64_t part = 0; part < 2; ++part) {
      Square<R> numbers;
      for (int64_t j = 0; j < kSide; ++j) {
        numbers.load(static_cast<int>(j), source + from.at[i + part + 2 * j] + k);
      }
      numbers.transpose();
      R* const to = side.part_of(i + part) + k * side.lines;
      for (int64_t j = 0; j < kSide; ++j) numbers.store(static_cast<int>(j), to + j * side.lines);
    }
  };
  const auto each = [&](int64_t i, int64_t first, int64_t end) {
    R* const part = side.part_of(i);
    const R* const line = i < count ? source + from.at[i] : nullptr;
    const int64_t step = from.step, apart = side.lines;
    if (line == nullptr) {
      for (int64_t k = first; k < end; ++k) part[k * apart] = R(0);
    } else {
      TENON_INDEPENDENT
      for (int64_t k = first; k < end; ++k) part[k * apart] = line[k * step];
    }
  };
  const int64_t squared = from.step == 1 ? count : 0;
  by_parts<2 * kSide, kSide>(2 * side.lines, size, squared, square, each);
}

template <class R>
void give_reals(const LinePair<R>& side, R* target, const Starts& to, int64_t count, int64_t size,
                R factor) {
  constexpr int64_t kSide = Square<R>::kSide;
  const auto square = [&](int64_t i, int64_t k) {
    for (int64_t part = 0; part < 2; ++part) {
      Square<R> numbers;
      const R* const from = side.part_of(i + part) + k * side.lines;
      for (int64_t j = 0; j < kSide; ++j) numbers.load(static_cast<int>(j), from + j * side.lines);
      for (auto& row : numbers.rows) row *= factor;
      numbers.transpose();
      for (int64_t j = 0; j < kSide; ++j) {
        numbers.store(static_cast<int>(j), target + to.at[i + part + 2 * j] + k);
      }
    }
  };
  const auto each = [&](int64_t i, int64_t first, int64_t end) {
    const R* const part = side.part_of(i);
    R* const line = target + to.at[i];
    const int64_t step = to.step, apart = side.lines;
    TENON_INDEPENDENT
    for (int64_t k = first; k < end; ++k) line[k * step] = part[k * apart] * factor;
  };
  const int64_t squared = to.step == 1 ? count : 0;
  by_parts<2 * kSide, kSide>(count, size, squared, square, each);
}

// Separates the transforms of two real lines a and b from the transform of a + i b.
template <class R>
void give_halves(const LinePair<R>& side, Complex<R>* target, const Starts& to, int64_t count,
                 int64_t size, int64_t kept, R factor) {
  using Vector = typename Square<R>::Vector;
  const R half = factor / 2;
  const auto mirror_of = [&](int64_t k) { return k == 0 ? 0 : size - k; };
  const auto square = [&](int64_t i, int64_t k) {
    Square<R> a, b;
    for (int64_t j = 0; j < kPairs<R>; ++j) {
      const int64_t at = (k + j) * side.lines + i, mirror = mirror_of(k + j) * side.lines + i;
      Vector re, im, re2, im2;
      std::memcpy(&re, side.parts.re + at, sizeof re);
      std::memcpy(&im, side.parts.im + at, sizeof im);
      std::memcpy(&re2, side.parts.re + mirror, sizeof re2);
      std::memcpy(&im2, side.parts.im + mirror, sizeof im2);
      a.rows[2 * j] = (re + re2) * half;
      a.rows[2 * j + 1] = (im - im2) * half;
      b.rows[2 * j] = (im + im2) * half;
      b.rows[2 * j + 1] = (re2 - re) * half;
    }
    write_lines(a, target, to.at + 2 * i, 2, k);
    write_lines(b, target, to.at + 2 * i + 1, 2, k);
  };
  const auto each = [&](int64_t i, int64_t first, int64_t end) {
    Complex<R>* const a = target + to.at[2 * i];
    Complex<R>* const b = 2 * i + 1 < count ? target + to.at[2 * i + 1] : nullptr;
    for (int64_t k = first; k < end; ++k) {
      const int64_t at = k * side.lines + i, mirror = mirror_of(k) * side.lines + i;
      const R re = side.parts.re[at], im = side.parts.im[at], re2 = side.parts.re[mirror],
              im2 = side.parts.im[mirror];
      a[k * to.step] = {(re + re2) * half, (im - im2) * half};
      if (b != nullptr) b[k * to.step] = {(im + im2) * half, (re2 - re) * half};
    }
  };
  const int64_t squared = to.step == 1 ? count / 2 : 0;
  by_parts<Square<R>::kSide, kPairs<R>>(side.lines, kept, squared, square, each);
}

// Reads a + i b for two lines of which only the elements up to the middle are stored: those after
// it are their conjugates in reverse order. The first element and the one in the middle are their
// own conjugates and therefore real.
template <class R>
void take_halves(const LinePair<R>& side, const Complex<R>* source, const Starts& from,
                 int64_t count, int64_t size) {
  using Vector = typename Square<R>::Vector;
  const auto square = [&](int64_t i, int64_t before) {
    const int64_t k = before + 1;
    const Square<R> a = read_lines(source, from.at + 2 * i, 2, k);
    const Square<R> b = read_lines(source, from.at + 2 * i + 1, 2, k);
    for (int64_t j = 0; j < kPairs<R>; ++j) {
      const int64_t at = (k + j) * side.lines + i, mirror = (size - k - j) * side.lines + i;
      const Vector x_re = a.rows[2 * j], x_im = a.rows[2 * j + 1];
      const Vector y_re = b.rows[2 * j], y_im = b.rows[2 * j + 1];
      const Vector re = x_re - y_im, im = x_im + y_re, re2 = x_re + y_im, im2 = y_re - x_im;
      std::memcpy(side.parts.re + at, &re, sizeof re);
      std::memcpy(side.parts.im + at, &im, sizeof im);
      std::memcpy(side.parts.re + mirror, &re2, sizeof re2);
      std::memcpy(side.parts.im + mirror, &im2, sizeof im2);
    }
  };
  const auto pair_at = [&](int64_t i, int64_t k, Complex<R>* x, Complex<R>* y) {
    *x = source[from.at[2 * i] + k * from.step];
    *y = 2 * i + 1 < count ? source[from.at[2 * i + 1] + k * from.step] : Complex<R>(0);
  };
  const auto each = [&](int64_t i, int64_t first, int64_t end) {
    for (int64_t k = first + 1; k < end + 1; ++k) {
      Complex<R> x, y;
      pair_at(i, k, &x, &y);
      const int64_t at = k * side.lines + i, mirror = (size - k) * side.lines + i;
      side.parts.re[at] = x.re - y.im;
      side.parts.im[at] = x.im + y.re;
      side.parts.re[mirror] = x.re + y.im;
      side.parts.im[mirror] = y.re - x.im;
    }
  };
  const auto real = [&](int64_t k) {
    for (int64_t i = 0; i < side.lines; ++i) {
      Complex<R> x, y;
      pair_at(i, k, &x, &y);
      side.parts.re[k * side.lines + i] = x.re;
      side.parts.im[k * side.lines + i] = y.re;
    }
  };
  const int64_t squared = from.step == 1 ? count / 2 : 0;
  by_parts<Square<R>::kSide, kPairs<R>>(side.lines, (size - 1) / 2, squared, square, each);
  real(0);
  if (size % 2 == 0) real(size / 2);
}

}  // namespace tenon::kernels::cpu
