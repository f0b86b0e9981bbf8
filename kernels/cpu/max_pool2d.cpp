// SPDX-License-Identifier: Apache-2.0
// aten::max_pool2d_with_indices and its like on the CPU.
#include "kernels/ops/max_pool2d.h"

#include "kernels/common/fold_functor.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/routine_of.h"
#include "kernels/cpu/shared_loop.h"

namespace tenon::kernels::cpu {
namespace {

// One plane of a tensor: strides of the last dims, in bytes.
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
      strides[kMostSlides - slides + d] = info.strides[info.ndim - slides + d] * size;
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

void run_max_pool(const Call& call, MaxPooling plan) {
  const tenon_tensor_info values = plan.values.info();
  const tenon_tensor_info indices = plan.indices.info();
  const int slides =
      std::string_view(call.facts().name).find("3d") != std::string_view::npos ? 3 : 2;
  if (values.numel != 0) {
    const int64_t each = plan.places(0) * plan.places(1) * plan.places(2) * 8;
    visit(call.op(), "self", dtype_of_info(plan.self), RealTypes(), [&]<class T>(Element<T>) {
      parallel_for(plan.planes, std::max<int64_t>(kGrain / each, 1),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                       pool_plane<T>(plan, {plan.self, slides, i}, {values, slides, i},
                                     {indices, slides, i});
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
