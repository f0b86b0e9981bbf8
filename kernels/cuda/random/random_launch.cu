// SPDX-License-Identifier: Apache-2.0
// Kernels that draw random numbers. A thread makes four elements from four 32-bit numbers, or two
// elements if they are doubles or wide integers, then skips the elements of all other threads. This
// is PyTorch's order, so that the numbers are the same.
#include "kernels/cuda/random/random_launch.h"

#include <cfloat>
#include <cmath>

#include "kernels/cuda/loops/elements.cuh"
#include "kernels/cuda/loops/launch.cuh"

namespace tenon::kernels::cuda {
namespace {

// Converts 32 or 53 random bits to a number in (0, 1] like cuRAND.
TENON_FUNCTOR inline float unit(uint32_t bits) {
  return static_cast<float>(bits) * 0x1p-32F + 0x1p-33F;
}
TENON_FUNCTOR inline double unit(uint32_t low, uint32_t high) {
  return static_cast<double>(low ^ uint64_t{high} << 21) * 0x1p-53 + 0x1p-54;
}

// The GPU's approximate functions for floats, with errors of about 2^-21, which PyTorch uses as
// well.
TENON_FUNCTOR inline void sine_and_cosine(float x, float* sine, float* cosine) {
#if defined(__CUDA_ARCH__)
  __sincosf(x, sine, cosine);
#else
  *sine = std::sin(x);
  *cosine = std::cos(x);
#endif
}
TENON_FUNCTOR inline float tangent(float x) {
#if defined(__CUDA_ARCH__)
  return __tanf(x);
#else
  return std::tan(x);
#endif
}
TENON_FUNCTOR inline double tangent(double x) { return std::tan(x); }

// Uniform numbers in (0, 1], as floats or doubles.
template <class C>
struct UniformSource {
  static constexpr int kEach = 4;
  TENON_FUNCTOR static void take(const PhiloxNumbers& drawn, float* out) {
    for (int k = 0; k < kEach; ++k) out[k] = unit(drawn.at[k]);
  }
};
template <>
struct UniformSource<double> {
  static constexpr int kEach = 2;
  TENON_FUNCTOR static void take(const PhiloxNumbers& drawn, double* out) {
    for (int k = 0; k < kEach; ++k) out[k] = unit(drawn.at[2 * k], drawn.at[2 * k + 1]);
  }
};

// Pairs of normal samples: Box and Muller, 1958.
template <class C>
struct Normals {
  static constexpr int kEach = 4;
  TENON_FUNCTOR static void take(const PhiloxNumbers& drawn, float* out) {
    constexpr float kTurn = 6.2831855F * 0x1p-32F;
    for (int k = 0; k < kEach; k += 2) {
      const float radius = std::sqrt(-2.0F * std::log(unit(drawn.at[k])));
      const float angle = static_cast<float>(drawn.at[k + 1]) * kTurn + kTurn / 2;
      sine_and_cosine(angle, &out[k], &out[k + 1]);
      out[k] *= radius;
      out[k + 1] *= radius;
    }
  }
};
template <>
struct Normals<double> {
  static constexpr int kEach = 2;
  TENON_FUNCTOR static void take(const PhiloxNumbers& drawn, double* out) {
    const double radius = std::sqrt(-2.0 * std::log(unit(drawn.at[0], drawn.at[1])));
    const double angle = 6.283185307179586 * unit(drawn.at[2], drawn.at[3]);
    out[0] = std::sin(angle) * radius;
    out[1] = std::cos(angle) * radius;
  }
};

struct Words {
  static constexpr int kEach = 4;
  TENON_FUNCTOR static void take(const PhiloxNumbers& drawn, uint64_t* out) {
    for (int k = 0; k < kEach; ++k) out[k] = drawn.at[k];
  }
};
struct WideWords {
  static constexpr int kEach = 2;
  TENON_FUNCTOR static void take(const PhiloxNumbers& drawn, uint64_t* out) {
    for (int k = 0; k < kEach; ++k) out[k] = uint64_t{drawn.at[2 * k]} << 32 | drawn.at[2 * k + 1];
  }
};

// Writes one element for each index, in the order of memory: numbers of Source, converted by Make.
template <int kOperands, class Source, class Drawn, class Make>
struct DrawEach {
  Steps<kOperands> steps;
  PhiloxOffset place;
  Make make;

  TENON_FUNCTOR void operator()(int64_t thread) const {
    constexpr int kEach = Source::kEach;
    uint64_t block = place.block;
    for (int64_t at = thread; at < steps.numel(); at += place.threads * kEach) {
      Drawn drawn[kEach];
      Source::take(philox(place.seed, static_cast<uint64_t>(thread), block++), drawn);
      for (int k = 0; k < kEach; ++k) {
        const int64_t index = at + place.threads * k;
        if (index < steps.numel()) {
          char* data[kOperands];
          steps.locate(index, data);
          make(data, drawn[k]);
        }
      }
    }
  }
};

template <int kOperands, class Source, class Drawn, class Make>
void launch_draws(const char* op, const Strided& walk, const Make& make, const PhiloxOffset& place,
                  Stream stream) {
  launch_each(op, DrawEach<kOperands, Source, Drawn, Make>{Steps<kOperands>(walk), place, make},
              place.threads, stream);
}

// The type in which a dtype is drawn: double for double, otherwise float.
template <class T>
using DrawnIn = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Converts a number in (0, 1] or a normal sample to an element of a distribution.
template <Distribution kWhich, class T>
struct Make {
  using C = DrawnIn<T>;
  C a;
  C b;

  TENON_FUNCTOR void operator()(char* const* data, C drawn) const {
    *reinterpret_cast<T*>(data[0]) = element(drawn);
  }
  TENON_FUNCTOR T element(C x) const {
    if constexpr (kWhich == Distribution::Uniform) {
      // Maps (0, 1] to [from, to): the end of the range is replaced by its start.
      const T value = T(std::fma(x, b - a, a));
      return value == T(b) ? T(a) : value;
    } else if constexpr (kWhich == Distribution::Normal) {
      return T(std::fma(x, b, a));
    } else if constexpr (kWhich == Distribution::LogNormal) {
      return T(std::exp(std::fma(x, b, a)));
    } else if constexpr (kWhich == Distribution::Exponential) {
      // Avoids zero, which the distribution excludes.
      const C least = epsilon() / 2;
      return T(C(-1) / a * (x >= 1 - least ? -least : std::log(x)));
    } else if constexpr (kWhich == Distribution::Cauchy) {
      const C inner = x > 1 - epsilon() ? 1 - epsilon() : x < epsilon() ? epsilon() : x;
      return T(a + b * tangent(C(3.14159265358979323846) * (inner - C(0.5))));
    } else if constexpr (kWhich == Distribution::Geometric) {
      return T(std::ceil(std::log(x) / std::log1p(-a)));
    } else {
      return T(x < a || a >= 1 ? 1 : 0);
    }
  }
  TENON_FUNCTOR static constexpr C epsilon() {
    return std::is_same_v<C, double> ? C(DBL_EPSILON) : C(FLT_EPSILON);
  }
};

template <Distribution kWhich, class Types>
void launch_one(const char* op, int32_t dtype, const Strided& walk, double a, double b,
                const PhiloxOffset& place, Stream stream) {
  visit_element(op, dtype, Types(), [&]<class T>(Element<T>) {
    using C = DrawnIn<T>;
    constexpr bool kNormal = kWhich == Distribution::Normal || kWhich == Distribution::LogNormal;
    using Source = std::conditional_t<kNormal, Normals<C>, UniformSource<C>>;
    launch_draws<1, Source, C>(op, walk, Make<kWhich, T>{static_cast<C>(a), static_cast<C>(b)},
                               place, stream);
  });
}

template <class T, class P>
struct BernoulliSample {
  using C = DrawnIn<P>;
  TENON_FUNCTOR void operator()(char* const* data, C drawn) const {
    const bool is_one = drawn <= static_cast<C>(*reinterpret_cast<const P*>(data[1]));
    *reinterpret_cast<T*>(data[0]) = T(is_one ? 1 : 0);
  }
};

template <class T>
struct Integer {
  int64_t first;
  uint64_t count;
  TENON_FUNCTOR void operator()(char* const* data, uint64_t drawn) const {
    if (count != 0) drawn %= count;
    const auto integer = static_cast<int64_t>(drawn + static_cast<uint64_t>(first));
    *reinterpret_cast<T*>(data[0]) = T(static_cast<Compute<T>>(integer));
  }
};

using CoinTypes = Joined<BoolType, RealTypes>;

}  // namespace

int64_t drawn_together(bool is_wide) { return is_wide ? WideWords::kEach : Words::kEach; }

void launch_distribution(const char* op, Distribution which, int32_t dtype, const Strided& walk,
                         double a, double b, const PhiloxOffset& place, Stream stream) {
  switch (which) {
    case Distribution::Uniform:
      return launch_one<Distribution::Uniform, FloatTypes>(op, dtype, walk, a, b, place, stream);
    case Distribution::Normal:
      return launch_one<Distribution::Normal, FloatTypes>(op, dtype, walk, a, b, place, stream);
    case Distribution::Exponential:
      return launch_one<Distribution::Exponential, FloatTypes>(op, dtype, walk, a, b, place,
                                                               stream);
    case Distribution::Cauchy:
      return launch_one<Distribution::Cauchy, FloatTypes>(op, dtype, walk, a, b, place, stream);
    case Distribution::Geometric:
      return launch_one<Distribution::Geometric, RealTypes>(op, dtype, walk, a, b, place, stream);
    case Distribution::LogNormal:
      return launch_one<Distribution::LogNormal, FloatTypes>(op, dtype, walk, a, b, place, stream);
    case Distribution::Bernoulli:
      return launch_one<Distribution::Bernoulli, CoinTypes>(op, dtype, walk, a, b, place, stream);
  }
}

void launch_bernoulli(const char* op, int32_t dtype, int32_t probabilities, const Strided& walk,
                      const PhiloxOffset& place, Stream stream) {
  visit_element(op, dtype, CoinTypes(), [&]<class T>(Element<T>) {
    visit_element(op, probabilities, FloatTypes(), [&]<class P>(Element<P>) {
      using C = DrawnIn<P>;
      launch_draws<2, UniformSource<C>, C>(op, walk, BernoulliSample<T, P>(), place, stream);
    });
  });
}

void launch_integers(const char* op, int32_t dtype, const Strided& walk, int64_t first,
                     uint64_t count, bool is_wide, const PhiloxOffset& place, Stream stream) {
  visit_element(op, dtype, CoinTypes(), [&]<class T>(Element<T>) {
    const Integer<T> make{first, count};
    if (is_wide) {
      launch_draws<1, WideWords, uint64_t>(op, walk, make, place, stream);
    } else {
      launch_draws<1, Words, uint64_t>(op, walk, make, place, stream);
    }
  });
}

}  // namespace tenon::kernels::cuda
