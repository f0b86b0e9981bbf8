// SPDX-License-Identifier: Apache-2.0
// aten::grid_sampler_2d, aten::grid_sampler_3d and their gradients on the CPU. Images are volumes
// of one plane. The neighbouring elements of a grid position are found once for all channels. Small
// floats are computed as float and rounded once.
#include "kernels/ops/vision/grid_sampler_2d.h"

#include <cmath>
#include <vector>

#include "kernels/common/checked_size.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// A coordinate in elements, and its derivative with respect to the grid's coordinate.
template <class T>
struct GridCoordinate {
  T at;
  T slope;
};

// The mapping of coordinates along one dim.
template <class T>
struct Axis {
  int64_t size;
  T scale;
  BeyondEdges beyond;
  bool aligns;

  Axis(const GridSampling& plan, int64_t elements)
      : size(elements),
        scale(static_cast<T>(plan.aligns_corners ? elements - 1 : elements) / 2),
        beyond(plan.beyond),
        aligns(plan.aligns_corners) {}

  GridCoordinate<T> place(T coordinate) const {
    const T at = (coordinate + 1) * scale;
    return {aligns ? at : at - T(0.5), scale};
  }

  // Maps a coordinate to one inside the image, unless elements beyond the edges are zeros. NaN
  // becomes 0. At the edges the derivative is 0, as in PyTorch.
  GridCoordinate<T> inside(GridCoordinate<T> place) const {
    if (beyond == BeyondEdges::Zeros) return place;
    if (beyond == BeyondEdges::Reflection) place = reflected(place);
    if (!(place.at > 0)) return {T(0), T(0)};
    const auto last = static_cast<T>(size - 1);
    return place.at >= last ? GridCoordinate<T>{last, T(0)} : place;
  }

  GridCoordinate<T> reflected(GridCoordinate<T> place) const {
    const T low = aligns ? T(0) : T(-0.5);
    const auto span = static_cast<T>(aligns ? size - 1 : size);
    if (span == 0) return {T(0), T(0)};
    const T distance = std::abs(place.at - low);
    if (place.at < low) place.slope = -place.slope;
    const T rest = std::fmod(distance, span);
    const bool is_even = std::fmod(std::floor(distance / span), T(2)) == 0;
    place.at = (is_even ? rest : span - rest) + low;
    if (!is_even) place.slope = -place.slope;
    return place;
  }

  // Returns true if an integral coordinate is inside; false for NaN.
  bool has(T at) const { return at >= 0 && at <= static_cast<T>(size - 1); }
};

// The elements along one dim that contribute to a position: their indices, -1 for zeros beyond the
// edges, and their weights, or derivatives of the weights.
template <class T>
struct Contributions {
  int count = 0;
  int64_t at[4];
  T weights[4];

  void add(const Axis<T>& axis, T place, T weight) {
    at[count] = axis.has(place) ? static_cast<int64_t>(place) : -1;
    weights[count++] = weight;
  }
};

// Returns a derivative of c3 d^3 + c2 d^2 + c1 d + c0.
template <class T>
T cubic(T c3, T c2, T c1, T c0, T d, int64_t order) {
  switch (order) {
    case 0:
      return ((c3 * d + c2) * d + c1) * d + c0;
    case 1:
      return (3 * c3 * d + 2 * c2) * d + c1;
    case 2:
      return 6 * c3 * d + 2 * c2;
    default:
      return order == 3 ? 6 * c3 : T(0);
  }
}

// Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -0.75.
template <class T>
Contributions<T> cubic_line(const Axis<T>& axis, GridCoordinate<T> place, int64_t order) {
  constexpr T a(-0.75);
  const auto near = [=](T d) { return cubic<T>(a + 2, -(a + 3), 0, 1, d, order); };
  const auto far = [=](T d) { return cubic<T>(a, -5 * a, 8 * a, -4 * a, d, order); };
  const T first = std::floor(place.at), t = place.at - first;
  T scale = 1;
  for (int64_t k = 0; k < order; ++k) scale *= place.slope;
  const T turned = order % 2 == 0 ? scale : -scale;
  const T weights[] = {far(t + 1) * scale, near(t) * scale, near(1 - t) * turned,
                       far(2 - t) * turned};
  Contributions<T> line;
  for (int k = 0; k < 4; ++k) {
    line.add(axis, axis.inside({first + static_cast<T>(k - 1), T(0)}).at, weights[k]);
  }
  return line;
}

template <class T>
Contributions<T> line_of(const GridSampling& plan, const Axis<T>& axis, T coordinate,
                         int64_t order) {
  GridCoordinate<T> place = axis.place(coordinate);
  if (plan.by_what == SampledBy::Bicubic) return cubic_line(axis, place, order);
  place = axis.inside(place);
  Contributions<T> line;
  if (plan.by_what == SampledBy::Nearest) {
    line.add(axis, std::nearbyint(place.at), order == 0 ? T(1) : T(0));
    return line;
  }
  const T first = std::floor(place.at), behind = place.at - first;
  const T slope = order == 1 ? place.slope : T(0);
  line.add(axis, first, order == 0 ? 1 - behind : -slope);
  line.add(axis, first + 1, order == 0 ? behind : slope);
  return line;
}

// Volumes in memory, whose dims are batch, channels, and the dims that are sampled.
template <class T>
class Volumes {
 public:
  Volumes(const GridSampling& plan, const tenon_tensor_info& info)
      : data_(static_cast<char*>(info.data)) {
    const int missing = 3 - plan.dims;
    for (int d = 0; d < 2; ++d) strides_[d] = wrapped_product(info.strides[d], int64_t{sizeof(T)});
    for (int d = 2; d < 5; ++d) {
      strides_[d] =
          d - 2 < missing ? 0 : wrapped_product(info.strides[d - missing], int64_t{sizeof(T)});
    }
  }

  char* at(int64_t n, int64_t c) const { return data_ + n * strides_[0] + c * strides_[1]; }
  int64_t offset(int64_t z, int64_t y, int64_t x) const {
    return z * strides_[2] + y * strides_[3] + x * strides_[4];
  }

 private:
  char* data_;
  int64_t strides_[5];
};

// An element that contributes to a position: its offset from the first element of its channel, in
// bytes of the input or in elements of the sums; -1 for zeros.
template <class T>
struct Tap {
  int64_t offset;
  T weight;
};

template <class T>
class GridTaps {
 public:
  explicit GridTaps(const GridSampling& plan)
      : plan_(plan), z_(plan, plan.sizes[2]), y_(plan, plan.sizes[3]), x_(plan, plan.sizes[4]) {}

  // Finds the taps of a position. `offset` computes their offsets from z, y and x.
  template <class Offset>
  void find(T x, T y, T z, const Offset& offset) {
    const Contributions<T> across = line_of(plan_, x_, x, plan_.by[0]);
    const Contributions<T> down = line_of(plan_, y_, y, plan_.by[1]);
    Contributions<T> behind;
    if (plan_.dims == 3) {
      behind = line_of(plan_, z_, z, plan_.by[2]);
    } else {
      behind.count = 1;
      behind.at[0] = 0;
      behind.weights[0] = T(1);
    }
    count_ = 0;
    for (int h = 0; h < behind.count; ++h) {
      for (int i = 0; i < down.count; ++i) {
        for (int j = 0; j < across.count; ++j) {
          const bool is_there = behind.at[h] >= 0 && down.at[i] >= 0 && across.at[j] >= 0;
          taps_[count_++] = {is_there ? offset(behind.at[h], down.at[i], across.at[j]) : -1,
                             across.weights[j] * down.weights[i] * behind.weights[h]};
        }
      }
    }
  }

  const Tap<T>* begin() const { return taps_; }
  const Tap<T>* end() const { return taps_ + count_; }

 private:
  const GridSampling& plan_;
  Axis<T> z_;
  Axis<T> y_;
  Axis<T> x_;
  Tap<T> taps_[64];
  int count_ = 0;
};

// Calls `see(n, z, y, x, taps)` for the positions of the volumes from `begin` to `end`.
template <class T, class Offset, class See>
void each_place(const GridSampling& plan, int64_t begin, int64_t end, const Offset& offset,
                const See& see) {
  using C = Compute<T>;
  constexpr int64_t kBytes = sizeof(T);
  const int last = plan.dims + 1;  // the grid's dims are batch, positions, and coordinates
  const int64_t* const strides = plan.grid.strides;
  const int64_t down = strides[last - 2], across = strides[last - 1], next = strides[last];
  const int64_t behind = plan.dims == 3 ? strides[1] : 0;
  GridTaps<C> taps(plan);
  for (int64_t n = begin; n < end; ++n) {
    for (int64_t z = 0; z < plan.depth(); ++z) {
      for (int64_t y = 0; y < plan.height(); ++y) {
        for (int64_t x = 0; x < plan.width(); ++x) {
          const char* const place = static_cast<const char*>(plan.grid.data) +
                                    (n * strides[0] + z * behind + y * down + x * across) * kBytes;
          const C third = plan.dims == 3 ? load<T>(place + 2 * next * kBytes) : C(0);
          taps.find(load<T>(place), load<T>(place + next * kBytes), third, offset);
          see(n, z, y, x, taps);
        }
      }
    }
  }
}

// Runs a loop over volumes, distributed over threads.
template <class Loop>
void each_image(const GridSampling& plan, const Loop& loop) {
  const int64_t places =
      plan.depth() * plan.height() * plan.width() * std::max<int64_t>(plan.sizes[1], 1);
  const int64_t along = plan.by_what == SampledBy::Bicubic ? 4 : 2;
  const int64_t each =
      std::max<int64_t>(places, 1) * along * along * (plan.dims == 3 ? along : int64_t{1});
  parallel_for(plan.sizes[0], std::max<int64_t>(kGrain / each, 1), loop);
}

template <class T>
void sample(const GridSampling& plan, const tenon_tensor_info& result) {
  using C = Compute<T>;
  const Volumes<T> from(plan, plan.elements), to(plan, result);
  const auto offset = [&](int64_t z, int64_t y, int64_t x) { return from.offset(z, y, x); };
  each_image(plan, [&](int64_t begin, int64_t end) {
    each_place<T>(plan, begin, end, offset,
                  [&](int64_t n, int64_t z, int64_t y, int64_t x, const GridTaps<C>& taps) {
                    const int64_t place = to.offset(z, y, x);
                    for (int64_t c = 0; c < plan.sizes[1]; ++c) {
                      const char* const first = from.at(n, c);
                      C sum = 0;
                      for (const Tap<C>& tap : taps) {
                        // Elements beyond the edges count as 0.
                        const C read = tap.offset < 0 ? C(0) : load<T>(first + tap.offset);
                        sum += read * tap.weight;
                      }
                      store<T>(to.at(n, c) + place, sum);
                    }
                  });
  });
}

template <class T>
void share(const GridSampling& plan, const tenon_tensor_info& result) {
  using C = Compute<T>;
  const Volumes<T> from(plan, plan.elements);
  const int64_t row = plan.sizes[4], plane = plan.sizes[3] * row, volume = plan.sizes[2] * plane;
  const int64_t image = plan.sizes[1] * volume;
  char* const to = static_cast<char*>(result.data);  // row-major
  const auto offset = [&](int64_t z, int64_t y, int64_t x) { return z * plane + y * row + x; };
  each_image(plan, [&](int64_t begin, int64_t end) {
    std::vector<C> sums(static_cast<size_t>((end - begin) * image), C(0));
    each_place<T>(plan, begin, end, offset,
                  [&](int64_t n, int64_t z, int64_t y, int64_t x, const GridTaps<C>& taps) {
                    const int64_t place = from.offset(z, y, x);
                    for (int64_t c = 0; c < plan.sizes[1]; ++c) {
                      const C grad = load<T>(from.at(n, c) + place);
                      C* const first = sums.data() + (n - begin) * image + c * volume;
                      for (const Tap<C>& tap : taps) {
                        if (tap.offset >= 0) first[tap.offset] += grad * tap.weight;
                      }
                    }
                  });
    char* at = to + begin * image * int64_t{sizeof(T)};
    for (const C sum : sums) {
      store<T>(at, sum);
      at += sizeof(T);
    }
  });
}

template <class Run>
void run_sampling(const Call& call, GridSampling plan, const Run& run) {
  const tenon_tensor_info result = plan.result.info();
  if (result.numel != 0) {
    visit(call.op(), call.form.names[0], dtype_of_info(result), FloatTypes(),
          [&]<class T>(Element<T>) { run.template operator()<T>(plan, result); });
  }
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

void grid_sampler(const Call& call) {
  run_sampling(call, grid_sampler_plan(call),
               []<class T>(const GridSampling& plan, const tenon_tensor_info& result) {
                 sample<T>(plan, result);
               });
}

void grid_sampler_input(const Call& call) {
  run_sampling(call, grid_sampler_input_plan(call),
               []<class T>(const GridSampling& plan, const tenon_tensor_info& result) {
                 share<T>(plan, result);
               });
}

}  // namespace

Operator operator_kGridSampler2d() { return routine_of<ops::kGridSampler2d, &grid_sampler>(); }
Operator operator_kGridSampler2dBackwardInput() {
  return routine_of<ops::kGridSampler2dBackwardInput, &grid_sampler_input>("tenon");
}
Operator operator_kGridSampler2dSlope() {
  return routine_of<ops::kGridSampler2dSlope, &grid_sampler>("tenon");
}
Operator operator_kGridSampler3d() { return routine_of<ops::kGridSampler3d, &grid_sampler>(); }
Operator operator_kGridSampler3dBackwardInput() {
  return routine_of<ops::kGridSampler3dBackwardInput, &grid_sampler_input>("tenon");
}
Operator operator_kGridSampler3dSlope() {
  return routine_of<ops::kGridSampler3dSlope, &grid_sampler>("tenon");
}

}  // namespace tenon::kernels::cpu
