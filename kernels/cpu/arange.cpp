// SPDX-License-Identifier: Apache-2.0
// aten::arange on the CPU.
#include "kernels/ops/arange.h"

#include "kernels/common/overlap.h"
#include "kernels/common/registrar.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/run.h"

namespace tenon::kernels::cpu {
namespace {

Tensor& arange_out(const Scalar& start, const Scalar& end, const Scalar& step, Tensor& out) {
  constexpr const char* kOp = "aten::arange.start_out";
  const int64_t length = arange_length(kOp, start, end, step, out.dtype());
  check_arange_out(out, length);
  const tenon_tensor_info info = out.info();
  check_no_internal_overlap(kOp, info);
  if (length == 0) return out;
  // `out` may have any shape with as many elements: they are written in row-major order.
  const Tensor flat = is_contiguous(info) ? out : Tensor::empty(Dims{length}, out.dtype());
  visit(kOp, "out", dtype_of_info(info), RealTypes(), [&]<class T>(Element<T>) {
    // Each element is computed on its own: errors do not add up.
    using Wide = std::conditional_t<std::is_integral_v<T>, int64_t,
                                    std::conditional_t<is_small_float<T>, float, double>>;
    const Wide first = element_of<Wide>(start);
    const Wide by = element_of<Wide>(step);
    T* elements = static_cast<T*>(flat.raw_data());
    for (int64_t i = 0; i < length; ++i) {
      elements[i] = static_cast<T>(first + static_cast<Wide>(i) * by);
    }
  });
  if (flat.get() != out.get()) {
    const Dims strides = row_major_strides(sizes_of(info));
    cast(info, flat.alias(sizes_of(info), strides, 0).info());
  }
  return out;
}

}  // namespace

void register_arange(Library& aten) {
  aten.impl("arange.start_out", TENON_KEY_CPU, &arange_out, quick("cpu::arange", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
