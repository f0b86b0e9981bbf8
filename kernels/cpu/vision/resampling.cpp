// SPDX-License-Identifier: Apache-2.0
// Processes planes of the last three dims row by row: first the rows that contribute to a row, then
// the elements along it.
#include "kernels/cpu/vision/resampling.h"

#include <cstring>

#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/loops/row_major.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {
namespace {

// The taps of one dim, with weights in the type that is computed with.
template <class T>
struct TapsIn {
  using Real =
      std::conditional_t<std::is_same_v<T, double> || std::is_same_v<T, Complex128>, double, float>;
  const Taps* taps;
  std::vector<Real> weights;

  explicit TapsIn(const Taps& of) : taps(&of), weights(of.weights.begin(), of.weights.end()) {}
  int64_t first(int64_t i) const { return taps->first[static_cast<size_t>(i)]; }
  int64_t end(int64_t i) const { return taps->end[static_cast<size_t>(i)]; }
  int64_t at(int64_t tap) const { return taps->at[static_cast<size_t>(tap)]; }
  Real weight(int64_t tap) const {
    return weights.empty() ? Real(1) : weights[static_cast<size_t>(tap)];
  }
  double divisor(int64_t i) const {
    return taps->divisors.empty() ? 1.0 : taps->divisors[static_cast<size_t>(i)];
  }
  bool is_weighted() const { return !weights.empty(); }
};

template <class T>
struct PlaneTaps {
  TapsIn<T> z, y, x;
  double divisor;
  bool divides;
  explicit PlaneTaps(const Resampling& plan)
      : z(plan.along[0]), y(plan.along[1]), x(plan.along[2]), divisor(plan.divisor) {
    divides = divisor != 1;
    for (const Taps& taps : plan.along) divides = divides || !taps.divisors.empty();
  }
  int64_t in_rows() const { return z.taps->in * y.taps->in; }
  int64_t out_rows() const { return z.taps->out * y.taps->out; }
  int64_t in_numel() const { return in_rows() * x.taps->in; }
  int64_t out_numel() const { return out_rows() * x.taps->out; }
};

template <class T>
[[gnu::always_inline]] inline T divided(T sum, double by) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(sum / static_cast<T>(by));
  } else if constexpr (is_complex_element<T>) {
    return sum;  // complex numbers are never divided
  } else if constexpr (std::is_same_v<T, double>) {
    return sum / by;
  } else {
    return sum / static_cast<float>(by);
  }
}

template <class T, class W>
[[gnu::always_inline]] inline T scaled(T element, W by) {
  if constexpr (std::is_integral_v<T>) {
    return element;
  } else if constexpr (is_complex_element<T>) {
    return T(element.real() * by, element.imag() * by);
  } else {
    return element * by;
  }
}

// Number of sums that are computed side by side, for taps without weights, which are neighbours.
constexpr int64_t kLanes = 16;

template <class T>
[[gnu::always_inline]] inline T sum_of_run(const T* from, int64_t count) {
  T lanes[kLanes];
  for (int64_t k = 0; k < kLanes; ++k) lanes[k] = from[k];
  int64_t i = kLanes;
  for (; i + kLanes <= count; i += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) lanes[k] += from[i + k];
  }
  for (int64_t k = 0; i < count; ++i, ++k) lanes[k] += from[i];
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t k = 0; k < width; ++k) lanes[k] += lanes[k + width];
  }
  return lanes[0];
}

// Computes one plane. `line` has room for a row of the input.
template <class T>
[[gnu::always_inline]] inline void plane_of(const PlaneTaps<T>& taps, const T* in, T* line,
                                            T* out) {
  const int64_t in_x = taps.x.taps->in, out_x = taps.x.taps->out;
  const bool weighted = taps.x.is_weighted();
  for (int64_t row = 0; row < taps.out_rows(); ++row) {
    const int64_t z = row / taps.y.taps->out, y = row % taps.y.taps->out;
    // The sum of the rows that contribute to this one.
    for (int64_t x = 0; x < in_x; ++x) line[x] = T(0);
    for (int64_t i = taps.z.first(z); i < taps.z.end(z); ++i) {
      for (int64_t j = taps.y.first(y); j < taps.y.end(y); ++j) {
        const T* const from = in + (taps.z.at(i) * taps.y.taps->in + taps.y.at(j)) * in_x;
        const auto weight = taps.z.weight(i) * taps.y.weight(j);
        TENON_INDEPENDENT
        for (int64_t x = 0; x < in_x; ++x) line[x] += scaled(from[x], weight);
      }
    }
    T* const to = out + row * out_x;
    for (int64_t x = 0; x < out_x; ++x) {
      const int64_t first = taps.x.first(x), end = taps.x.end(x);
      if (!weighted && end - first >= kLanes) {
        to[x] = sum_of_run(line + taps.x.at(first), end - first);
        continue;
      }
      T sum = T(0);
      for (int64_t k = first; k < end; ++k) {
        const T element = line[taps.x.at(k)];
        sum += weighted ? scaled(element, taps.x.weight(k)) : element;
      }
      to[x] = sum;
    }
    if (!taps.divides) continue;
    const double of_row = taps.divisor * taps.z.divisor(z) * taps.y.divisor(y);
    for (int64_t x = 0; x < out_x; ++x) to[x] = divided(to[x], of_row * taps.x.divisor(x));
  }
}

template <class T>
[[gnu::always_inline]] inline void plane_back(const PlaneTaps<T>& taps, const T* grad, T* line,
                                              T* in) {
  const int64_t in_x = taps.x.taps->in, out_x = taps.x.taps->out;
  for (int64_t i = 0; i < taps.in_numel(); ++i) in[i] = T(0);
  for (int64_t row = 0; row < taps.out_rows(); ++row) {
    const int64_t z = row / taps.y.taps->out, y = row % taps.y.taps->out;
    const double of_row = taps.divisor * taps.z.divisor(z) * taps.y.divisor(y);
    const T* const from = grad + row * out_x;
    for (int64_t x = 0; x < in_x; ++x) line[x] = T(0);
    for (int64_t x = 0; x < out_x; ++x) {
      const T each = taps.divides ? divided(from[x], of_row * taps.x.divisor(x)) : from[x];
      for (int64_t k = taps.x.first(x); k < taps.x.end(x); ++k) {
        line[taps.x.at(k)] += scaled(each, taps.x.weight(k));
      }
    }
    for (int64_t i = taps.z.first(z); i < taps.z.end(z); ++i) {
      for (int64_t j = taps.y.first(y); j < taps.y.end(y); ++j) {
        T* const to = in + (taps.z.at(i) * taps.y.taps->in + taps.y.at(j)) * in_x;
        const auto weight = taps.z.weight(i) * taps.y.weight(j);
        TENON_INDEPENDENT
        for (int64_t x = 0; x < in_x; ++x) to[x] += scaled(line[x], weight);
      }
    }
  }
}

template <bool kBack, class T>
[[gnu::always_inline]] inline void plane(const PlaneTaps<T>& taps, const T* from, T* line, T* to) {
  if constexpr (kBack) {
    plane_back(taps, from, line, to);
  } else {
    plane_of(taps, from, line, to);
  }
}

template <bool kBack, class T>
void plane_base(const PlaneTaps<T>& taps, const T* from, T* line, T* to) {
  plane<kBack>(taps, from, line, to);
}
#if defined(TENON_AVX2)
template <bool kBack, class T>
TENON_AVX2 void plane_avx2(const PlaneTaps<T>& taps, const T* from, T* line, T* to) {
  plane<kBack>(taps, from, line, to);
}
template <bool kBack, class T>
TENON_AVX512 void plane_avx512(const PlaneTaps<T>& taps, const T* from, T* line, T* to) {
  plane<kBack>(taps, from, line, to);
}
#endif

template <bool kBack, class T>
void all_planes(const Resampling& plan, const T* from, T* to) {
  auto* run = &plane_base<kBack, T>;
#if defined(TENON_AVX2)
  if (vector_level == 2) run = &plane_avx512<kBack, T>;
  if (vector_level == 1) run = &plane_avx2<kBack, T>;
#endif
  const PlaneTaps<T> taps(plan);
  const int64_t before = kBack ? taps.out_numel() : taps.in_numel();
  const int64_t behind = kBack ? taps.in_numel() : taps.out_numel();
  const int64_t grain = std::max<int64_t>(kGrain / std::max(before, behind), 1);
  parallel_for(plan.planes, grain, [&](int64_t begin, int64_t end) {
    std::vector<T> line(static_cast<size_t>(plan.along[2].in));
    for (int64_t i = begin; i < end; ++i) {
      run(taps, from + i * before, line.data(), to + i * behind);
    }
  });
}

// ---- Elements that are only moved ---------------------------------------------------------------

// A run of elements of a row that are adjacent in the input as well.
struct MovedRun {
  int64_t from;
  int64_t to;
  int64_t count;
};

std::vector<MovedRun> runs_of(const Taps& taps) {
  std::vector<MovedRun> runs;
  for (int64_t i = 0; i < taps.out; ++i) {
    const int64_t at = taps.at[static_cast<size_t>(i)];
    if (!runs.empty() && runs.back().from + runs.back().count == at) {
      ++runs.back().count;
    } else {
      runs.push_back({at, i, 1});
    }
  }
  return runs;
}

template <class T>
void move_row(const Taps& taps, const std::vector<MovedRun>& runs, const T* from, T* to) {
  // Copies a few long runs, or elements one by one.
  if (static_cast<int64_t>(runs.size()) * 8 <= taps.out) {
    for (const MovedRun& run : runs) std::copy_n(from + run.from, run.count, to + run.to);
    return;
  }
  const int64_t* const at = taps.at.data();
  for (int64_t x = 0; x < taps.out; ++x) to[x] = from[at[x]];
}

template <class T>
void move_planes(const Resampling& plan, const T* from, T* to) {
  const Taps &zs = plan.along[0], &ys = plan.along[1], &xs = plan.along[2];
  const std::vector<MovedRun> runs = runs_of(xs);
  const int64_t before = zs.in * ys.in * xs.in, behind = zs.out * ys.out * xs.out;
  parallel_for(plan.planes, std::max<int64_t>(kGrain / behind, 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t last = -1;
      for (int64_t row = 0; row < zs.out * ys.out; ++row) {
        const int64_t z = zs.at[static_cast<size_t>(row / ys.out)];
        const int64_t y = ys.at[static_cast<size_t>(row % ys.out)];
        const int64_t at = z * ys.in + y;
        T* const row_to = to + i * behind + row * xs.out;
        if (at == last) {  // the preceding row has the same source
          std::copy_n(row_to - xs.out, xs.out, row_to);
        } else {
          move_row(xs, runs, from + i * before + at * xs.in, row_to);
        }
        last = at;
      }
    }
  });
}

struct Sixteen {
  uint64_t words[2];
};

void move_elements(const Resampling& plan, const RowMajor& from, const RowMajorResult& to,
                   int64_t size) {
  switch (size) {
    case 1:
      return move_planes(plan, from.data<uint8_t>(), to.data<uint8_t>());
    case 2:
      return move_planes(plan, from.data<uint16_t>(), to.data<uint16_t>());
    case 4:
      return move_planes(plan, from.data<uint32_t>(), to.data<uint32_t>());
    case 8:
      return move_planes(plan, from.data<uint64_t>(), to.data<uint64_t>());
    default:
      return move_planes(plan, from.data<Sixteen>(), to.data<Sixteen>());
  }
}

bool is_selection(const Resampling& plan) {
  return plan.divisor == 1 &&
         std::ranges::all_of(plan.along, [](const Taps& taps) { return taps.is_selection(); });
}

}  // namespace

void resample(const Call& call, Resampling& plan) {
  const tenon_tensor_info result = plan.result.info();
  if (result.numel == 0) return;
  plan.fill();
  const Dtype dtype = dtype_of_info(result);
  const bool selects = is_selection(plan);
  const Dtype wide = selects ? dtype : wide_of(dtype);
  const RowMajor from(plan.self, wide);
  const RowMajorResult to(result, wide);
  if (selects) {
    move_elements(plan, from, to, size_of(dtype));
  } else {
    visit(call.op(), call.form.names[0], wide, ElementTypes<float, double, int64_t>(),
          [&]<class T>(Element<T>) { all_planes<false>(plan, from.data<T>(), to.data<T>()); });
  }
  to.finish();
}

void resample_gradient(const Call& call, Resampling& plan) {
  const tenon_tensor_info result = plan.result.info();
  if (result.numel == 0) return;
  plan.fill();
  const Dtype wide = wide_of(dtype_of_info(result));
  const RowMajor from(plan.self, wide);
  const RowMajorResult to(result, wide);
  visit(call.op(), call.form.names[0], wide,
        ElementTypes<float, double, Complex64, Complex128, int64_t, uint8_t>(),
        [&]<class T>(Element<T>) { all_planes<true>(plan, from.data<T>(), to.data<T>()); });
  to.finish();
}

}  // namespace tenon::kernels::cpu
