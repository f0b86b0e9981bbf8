// SPDX-License-Identifier: Apache-2.0
// aten::nonzero on the CPU.
#include "kernels/common/allocation.h"
#include "kernels/common/registrar.h"
#include "kernels/common/walk.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/run.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
bool is_zero(const char* at) {
  const auto element = load<T>(at);
  if constexpr (is_complex_element<T>) {
    return element.real() == 0 && element.imag() == 0;
  } else {
    return element == Compute<T>(0);
  }
}

// Calls `found(index)` for each element that is not zero, with its index per dim.
template <class T, class Found>
void each_nonzero(const tenon_tensor_info& info, Found&& found) {
  if (info.numel == 0) return;
  int64_t index[kMaxDims] = {};
  const char* at = static_cast<const char*>(info.data);
  for (;;) {
    if (!is_zero<T>(at)) found(index);
    int32_t d = info.ndim - 1;
    for (; d >= 0; --d) {
      const int64_t stride = info.strides[d] * static_cast<int64_t>(sizeof(T));
      if (++index[d] < info.sizes[d]) {
        at += stride;
        break;
      }
      at -= stride * (info.sizes[d] - 1);
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

Tensor nonzero(const Tensor& self) {
  constexpr const char* kOp = "aten::nonzero";
  const tenon_tensor_info info = self.info();
  if ((info.flags & TENON_TENSOR_UNDEFINED) != 0) {
    fail_argument(kOp, "self", "a defined tensor", "the undefined tensor");
  }
  Tensor result;
  visit(kOp, "self", dtype_of_info(info), Joined<BoolType, NumberTypes>(),
        [&]<class T>(Element<T>) {
          int64_t count = 0;
          each_nonzero<T>(info, [&](const int64_t*) { ++count; });
          // Indices of one dim lie next to each other.
          const int64_t sizes[] = {count, info.ndim};
          const int64_t strides[] = {1, count};
          result = allocate(sizes, Dtype::I64, Device(), strides);
          if (result.numel() == 0) return;
          auto* out = static_cast<int64_t*>(result.raw_data());
          each_nonzero<T>(info, [&](const int64_t* index) {
            for (int32_t d = 0; d < info.ndim; ++d) out[d * strides[1]] = index[d];
            ++out;
          });
        });
  return result;
}

}  // namespace

void register_nonzero(Library& aten) {
  aten.impl("nonzero", TENON_KEY_CPU, &nonzero, quick("cpu::nonzero", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
