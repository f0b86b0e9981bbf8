// SPDX-License-Identifier: Apache-2.0
// aten::max_pool2d_with_indices on the CPU.
#include "kernels/ops/max_pool2d.h"

#include "kernels/common/fold_functor.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// The part of a line that a window sees at a place.
struct Seen {
  int64_t first;
  int64_t end;
  Seen(const Slide& slide, int64_t place, int64_t size) {
    first = place * slide.stride - slide.padding;
    end = std::min(first + slide.reach(), size);
    while (first < 0) first += slide.dilation;
  }
};

// Strides of the last two dims, in bytes.
struct PlaneOf {
  char* data;
  int64_t row;
  int64_t column;
  PlaneOf(const tenon_tensor_info& info, int64_t batch, int64_t channel) {
    const int64_t size = size_of(dtype_of_info(info));
    row = info.strides[info.ndim - 2] * size;
    column = info.strides[info.ndim - 1] * size;
    data = static_cast<char*>(info.data) + channel * info.strides[info.ndim - 3] * size +
           (info.ndim == 4 ? batch * info.strides[0] * size : 0);
  }
  char* at(int64_t y, int64_t x) const { return data + y * row + x * column; }
};

template <class T>
void pool_plane(const Pooling& plan, const PlaneOf& self, const PlaneOf& values,
                const PlaneOf& indices) {
  const int64_t height = plan.self.sizes[plan.self.ndim - 2];
  const int64_t width = plan.self.sizes[plan.self.ndim - 1];
  const Slide& down = plan.window.along[0];
  const Slide& across = plan.window.along[1];
  for (int64_t y = 0; y < plan.places[0]; ++y) {
    const Seen rows(down, y, height);
    for (int64_t x = 0; x < plan.places[1]; ++x) {
      const Seen columns(across, x, width);
      Compute<T> best = lowest<Compute<T>>();
      int64_t found = rows.first * width + columns.first;
      for (int64_t i = rows.first; i < rows.end; i += down.dilation) {
        for (int64_t j = columns.first; j < columns.end; j += across.dilation) {
          const Compute<T> element = load<T>(self.at(i, j));
          if (!(element > best) && element == element) continue;
          best = element;
          found = i * width + j;
        }
      }
      store<T>(values.at(y, x), best);
      store<int64_t>(indices.at(y, x), found);
    }
  }
}

void max_pool2d_with_indices(const Call& call) {
  Pooling plan = max_pool2d_plan(call);
  const tenon_tensor_info values = plan.values.info();
  const tenon_tensor_info indices = plan.indices.info();
  const int64_t batch = plan.self.ndim == 4 ? plan.self.sizes[0] : 1;
  const int64_t channels = plan.self.sizes[plan.self.ndim - 3];
  visit(call.op(), "self", dtype_of_info(plan.self), RealTypes(), [&]<class T>(Element<T>) {
    for (int64_t i = 0; i < batch * channels; ++i) {
      const int64_t b = i / channels, c = i % channels;
      pool_plane<T>(plan, {plan.self, b, c}, {values, b, c}, {indices, b, c});
    }
  });
  if (!call.form.is_functional()) return;
  call.give(0, std::move(plan.values));
  call.give(1, std::move(plan.indices));
}

}  // namespace

Operator operator_kMaxPool2dWithIndices() {
  return routine_of<ops::kMaxPool2dWithIndices, &max_pool2d_with_indices>();
}

}  // namespace tenon::kernels::cpu
