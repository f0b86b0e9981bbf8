// SPDX-License-Identifier: Apache-2.0
// aten::max_pool2d_with_indices and similar operators on the CPU.
#include "kernels/ops/pooling/max_pooling.h"

#include <cstdint>
#include <string_view>

#include "kernels/common/checked_size.h"
#include "kernels/common/families/fold_functor.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/routine_of.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {
namespace {

// One plane of a tensor. Strides of the last dims are in bytes.
struct PlaneOf {
  char* data;
  int64_t strides[kMostSlides] = {};

  PlaneOf(const tenon_tensor_info& info, int slides, int64_t plane) {
    const int64_t size = size_of(dtype_of_info(info));
    data = static_cast<char*>(info.data);
    for (int32_t d = info.ndim - slides - 1; d >= 0; --d) {
      data += plane % info.sizes[d] * info.strides[d] * size;
      plane /= info.sizes[d];
    }
    for (int d = 0; d < slides; ++d) {
      strides[kMostSlides - slides + d] =
          wrapped_product(info.strides[info.ndim - slides + d], size);
    }
  }
  char* at(int64_t z, int64_t y, int64_t x) const {
    return data + z * strides[0] + y * strides[1] + x * strides[2];
  }
};

template <class T>
struct Largest {
  Compute<T> value;
  int64_t at;
};

template <class T>
Largest<T> largest_seen(const MaxPooling& plan, const PlaneOf& self, const Seen& zs, const Seen& ys,
                        const Seen& xs) {
  const auto place = [&](int64_t z, int64_t y, int64_t x) {
    return (z * plan.sizes[1] + y) * plan.sizes[2] + x;
  };
  Largest<T> best{lowest<Compute<T>>(), place(zs.first, ys.first, xs.first)};
  for (int64_t z = zs.first; z < zs.end; z += zs.step) {
    for (int64_t y = ys.first; y < ys.end; y += ys.step) {
      const char* line = self.at(z, y, 0);
      for (int64_t x = xs.first; x < xs.end; x += xs.step) {
        const Compute<T> element = load<T>(line + x * self.strides[2]);
        if (!(element > best.value) && element == element) continue;
        best = {element, place(z, y, x)};
      }
    }
  }
  return best;
}

template <class T>
void pool_plane(const MaxPooling& plan, const PlaneOf& self, const PlaneOf& values,
                const PlaneOf& indices) {
  for (int64_t z = 0; z < plan.places(0); ++z) {
    for (int64_t y = 0; y < plan.places(1); ++y) {
      for (int64_t x = 0; x < plan.places(2); ++x) {
        const Largest<T> found = largest_seen<T>(plan, self, plan.along[0][static_cast<size_t>(z)],
                                                 plan.along[1][static_cast<size_t>(y)],
                                                 plan.along[2][static_cast<size_t>(x)]);
        store<T>(values.at(z, y, x), found.value);
        store<int64_t>(indices.at(z, y, x), found.at);
      }
    }
  }
}

// ---- Rows ---------------------------------------------------------------------------------------

// One row of the output: the largest element so far, and its position.
template <class T>
struct LargestRow {
  std::vector<Compute<T>> values;
  std::vector<int32_t> at;
};

// Updates adjacent outputs with the elements from `line` on, which are `kStep` apart (0: any step).
template <int64_t kStep, class T>
[[gnu::always_inline]] inline void look_at(const T* line, int64_t any_step, int32_t first,
                                           int64_t count, Compute<T>* values, int32_t* at) {
  const int64_t step = kStep != 0 ? kStep : any_step;
  TENON_INDEPENDENT
  for (int64_t x = 0; x < count; ++x) {
    const auto element = static_cast<Compute<T>>(line[x * step]);
    // NaN counts as larger than any number.
    const bool takes = element > values[x] || element != element;
    values[x] = takes ? element : values[x];
    at[x] = takes ? first + static_cast<int32_t>(x * step) : at[x];
  }
}

// The part of a kernel that overlaps the row at any position: all of it, unless it is larger than
// the row.
struct KernelPart {
  int64_t begin, end;
  explicit KernelPart(const MaxPooling& plan) {
    const Slide& slide = *plan.across;
    const int64_t before = slide.padding - (plan.places(2) - 1) * slide.stride;
    begin = ceil_quotient(std::max<int64_t>(before, 0), slide.dilation);
    end = std::min(slide.kernel, (plan.sizes[2] - 1 + slide.padding) / slide.dilation + 1);
  }
};

template <class T>
[[gnu::always_inline]] inline void look_along(const MaxPooling& plan, KernelPart part,
                                              const T* line, int64_t row, LargestRow<T>& largest) {
  const Slide& slide = *plan.across;
  const int64_t width = plan.sizes[2], places = plan.places(2);
  for (int64_t k = part.begin; k < part.end; ++k) {
    const int64_t first = k * slide.dilation - slide.padding;  // element at output 0
    const int64_t begin = first >= 0 ? 0 : ceil_quotient(-first, slide.stride);
    const int64_t end =
        width <= first ? 0 : std::min((width - 1 - first) / slide.stride + 1, places);
    if (begin >= end) continue;
    const int64_t at = first + begin * slide.stride;
    const auto place = static_cast<int32_t>(row * width + at);
    auto* const values = largest.values.data() + begin;
    auto* const indices = largest.at.data() + begin;
    if (slide.stride == 1) {
      look_at<1, T>(line + at, 1, place, end - begin, values, indices);
    } else if (slide.stride == 2) {
      look_at<2, T>(line + at, 2, place, end - begin, values, indices);
    } else {
      look_at<0, T>(line + at, slide.stride, place, end - begin, values, indices);
    }
  }
}

// Pools a plane row by row. Its lines are contiguous.
template <class T>
[[gnu::always_inline]] inline void rows_of_plane(const MaxPooling& plan, const PlaneOf& self,
                                                 const PlaneOf& values, const PlaneOf& indices,
                                                 LargestRow<T>& largest) {
  const int64_t places = plan.places(2);
  const KernelPart part(plan);
  for (int64_t z = 0; z < plan.places(0); ++z) {
    const Seen& zs = plan.along[0][static_cast<size_t>(z)];
    for (int64_t y = 0; y < plan.places(1); ++y) {
      const Seen& ys = plan.along[1][static_cast<size_t>(y)];
      const int64_t corner = (zs.first * plan.sizes[1] + ys.first) * plan.sizes[2];
      for (int64_t x = 0; x < places; ++x) {
        const auto at = static_cast<size_t>(x);
        largest.values[at] = lowest<Compute<T>>();
        largest.at[at] = static_cast<int32_t>(corner + plan.along[2][at].first);
      }
      for (int64_t i = zs.first; i < zs.end; i += zs.step) {
        for (int64_t j = ys.first; j < ys.end; j += ys.step) {
          look_along(plan, part, reinterpret_cast<const T*>(self.at(i, j, 0)),
                     i * plan.sizes[1] + j, largest);
        }
      }
      for (int64_t x = 0; x < places; ++x) {
        const auto at = static_cast<size_t>(x);
        store<T>(values.at(z, y, x), largest.values[at]);
        store<int64_t>(indices.at(z, y, x), int64_t{largest.at[at]});
      }
    }
  }
}

template <class T>
using Rows = void (*)(const MaxPooling& plan, const PlaneOf& self, const PlaneOf& values,
                      const PlaneOf& indices, LargestRow<T>& largest);

template <class T>
void rows_base(const MaxPooling& plan, const PlaneOf& self, const PlaneOf& values,
               const PlaneOf& indices, LargestRow<T>& largest) {
  rows_of_plane(plan, self, values, indices, largest);
}
#if defined(TENON_AVX2)
template <class T>
TENON_AVX2 void rows_avx2(const MaxPooling& plan, const PlaneOf& self, const PlaneOf& values,
                          const PlaneOf& indices, LargestRow<T>& largest) {
  rows_of_plane(plan, self, values, indices, largest);
}
template <class T>
TENON_AVX512 void rows_avx512(const MaxPooling& plan, const PlaneOf& self, const PlaneOf& values,
                              const PlaneOf& indices, LargestRow<T>& largest) {
  rows_of_plane(plan, self, values, indices, largest);
}
#endif

// Returns NULL if planes are processed element by element. Only some dtypes have specialized loops.
template <class T>
Rows<T> rows_for(const MaxPooling& plan, const PlaneOf& self) {
  if constexpr (!std::is_same_v<T, float> && !std::is_same_v<T, double> && !is_small_float<T>) {
    return nullptr;
  } else {
    const bool fits = plan.across && self.strides[2] == int64_t{sizeof(T)} &&
                      plan.sizes[0] * plan.sizes[1] * plan.sizes[2] < INT32_MAX;
    if (!fits) return nullptr;
#if defined(TENON_AVX2)
    if (vector_level == 2) return &rows_avx512<T>;
    if (vector_level == 1) return &rows_avx2<T>;
#endif
    return &rows_base<T>;
  }
}

void run_max_pool(const Call& call, MaxPooling plan) {
  const tenon_tensor_info values = plan.values.info();
  const tenon_tensor_info indices = plan.indices.info();
  const int slides =
      std::string_view(call.facts().name).find("3d") != std::string_view::npos ? 3 : 2;
  if (values.numel != 0) {
    plan.fill();
    const int64_t each = plan.places(0) * plan.places(1) * plan.places(2) * 8;
    visit(call.op(), "self", dtype_of_info(plan.self), RealTypes(), [&]<class T>(Element<T>) {
      const Rows<T> rows = rows_for<T>(plan, {plan.self, slides, 0});
      const auto width = static_cast<size_t>(rows != nullptr ? plan.places(2) : 0);
      parallel_for(
          plan.planes, std::max<int64_t>(kGrain / each, 1), [&](int64_t begin, int64_t end) {
            LargestRow<T> largest{std::vector<Compute<T>>(width), std::vector<int32_t>(width)};
            for (int64_t i = begin; i < end; ++i) {
              const PlaneOf from(plan.self, slides, i), to(values, slides, i),
                  at(indices, slides, i);
              if (rows != nullptr) {
                rows(plan, from, to, at, largest);
              } else {
                pool_plane<T>(plan, from, to, at);
              }
            }
          });
    });
  }
  if (!call.form.is_functional()) return;
  call.give(0, std::move(plan.values));
  call.give(1, std::move(plan.indices));
}

void max_pool(const Call& call) { run_max_pool(call, max_pool_plan(call)); }
void adaptive_max_pool(const Call& call) { run_max_pool(call, adaptive_max_pool_plan(call)); }

}  // namespace

Operator operator_kMaxPool2dWithIndices() {
  return routine_of<ops::kMaxPool2dWithIndices, &max_pool>();
}
Operator operator_kMaxPool3dWithIndices() {
  return routine_of<ops::kMaxPool3dWithIndices, &max_pool>();
}
Operator operator_kAdaptiveMaxPool2d() {
  return routine_of<ops::kAdaptiveMaxPool2d, &adaptive_max_pool>();
}
Operator operator_kAdaptiveMaxPool3d() {
  return routine_of<ops::kAdaptiveMaxPool3d, &adaptive_max_pool>();
}

}  // namespace tenon::kernels::cpu
