// SPDX-License-Identifier: Apache-2.0
// aten::tril and aten::triu on the CPU.
#include "kernels/ops/shape/tril.h"

#include <cstring>

#include "kernels/common/checked_size.h"
#include "kernels/cpu/bind.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {

namespace {

// Writes zeros to `count` elements.
void clear(char* at, int64_t stride, int64_t size, int64_t count) {
  if (count <= 0) return;
  if (stride == size) {
    std::memset(at, 0, static_cast<size_t>(count * size));
    return;
  }
  for (int64_t i = 0; i < count; ++i) std::memset(at + i * stride, 0, static_cast<size_t>(size));
}

// Clears the part right of the diagonal, or left of it if kUpper.
template <bool kUpper>
void keep_triangle(const tenon_tensor_info& info, const tenon_tensor_info& self, int64_t diagonal) {
  if (info.data != self.data) cast(info, self);
  if (info.numel == 0) return;
  const int64_t size = size_of(dtype_of_info(info));
  const int64_t rows = info.sizes[info.ndim - 2], columns = info.sizes[info.ndim - 1];
  const int64_t down = wrapped_product(info.strides[info.ndim - 2], size);
  const int64_t across = wrapped_product(info.strides[info.ndim - 1], size);
  // A diagonal outside the matrix is equivalent to one at its edge.
  const int64_t shift = std::clamp(diagonal, -rows, columns);
  const Dims sizes(info.sizes, info.ndim - 2), strides(info.strides, info.ndim - 2);
  int64_t perm[kMaxDims];
  row_major_order(sizes.size(), perm);
  Walk matrices;
  matrices.begin(sizes, perm, 1);
  matrices.set(0, info.data, size, strides.begin());
  matrices.steps<0, 1>(matrices.raw_data(), [&](char* const* matrix) {
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t at = std::clamp<int64_t>(row + shift + (kUpper ? 0 : 1), 0, columns);
      char* const line = matrix[0] + row * down;
      if (kUpper) {
        clear(line, across, size, at);
      } else {
        clear(line + at * across, across, size, columns - at);
      }
    }
  });
}

template <bool kUpper>
void triangle(const Call& call) {
  Tensor result = triangle_result(call);
  keep_triangle<kUpper>(result.info(), call.get<Tensor>(0)->info(), call.get<int64_t>(1));
  if (call.form.is_functional()) call.give(0, std::move(result));
}

template <bool kUpper>
struct BoundTriangle {
  BoundInfo self;
  BoundInfo result;
  int64_t diagonal;
  int place;  // index of the result among the operands

  void run(void* const* data) const {
    keep_triangle<kUpper>(result.at(data[place]), self.at(data[0]), diagonal);
  }
};

template <bool kUpper>
void capture_triangle(const Call& call) {
  Tensor result = triangle_result(call);
  const bool is_functional = call.form.is_functional();
  capture_bound(call, std::make_unique<BoundTriangle<kUpper>>(BoundTriangle<kUpper>{
                          BoundInfo(call.get<Tensor>(0)->info()), BoundInfo(result.info()),
                          call.get<int64_t>(1), is_functional ? 1 : 0}));
  if (is_functional) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kTril() { return routine_of<ops::kTril, &triangle<false>>(); }
Operator operator_kTriu() { return routine_of<ops::kTriu, &triangle<true>>(); }

tenon_bind_fn bind_of_triangle(const Facts& facts) {
  if (&facts == &ops::kTril) return &bind_routine<&capture_triangle<false>>;
  if (&facts == &ops::kTriu) return &bind_routine<&capture_triangle<true>>;
  return nullptr;
}

}  // namespace tenon::kernels::cpu
