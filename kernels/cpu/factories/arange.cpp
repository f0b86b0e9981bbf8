// SPDX-License-Identifier: Apache-2.0
// aten::arange on the CPU.
#include "kernels/ops/factories/arange.h"

#include "kernels/common/checked_size.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void arange_out(const Call& call) {
  const char* const op = call.op();
  const auto start = call.get<Scalar>(0);
  const auto end = call.get<Scalar>(1);
  const auto step = call.get<Scalar>(2);
  const Tensor out = Tensor::retain(call.written());
  const int64_t length = arange_length(op, start, end, step, out.dtype());
  check_arange_out(out, length);
  const tenon_tensor_info info = out.info();
  if (length == 0) return;
  // `out` may have any shape with `length` elements: they are written in row-major order.
  const Tensor flat = is_contiguous(info) ? out : Tensor::empty(Dims{length}, out.dtype());
  visit(op, "out", dtype_of_info(info), RealTypes(), [&]<class T>(Element<T>) {
    // Each element is computed from the start, so that rounding errors do not accumulate.
    using Wide = std::conditional_t<std::is_integral_v<T>, int64_t,
                                    std::conditional_t<is_small_float<T>, float, double>>;
    const Wide first = element_of<Wide>(start);
    const Wide by = element_of<Wide>(step);
    T* elements = static_cast<T*>(flat.raw_data());
    for (int64_t i = 0; i < length; ++i) {
      if constexpr (std::is_integral_v<T>) {
        elements[i] = static_cast<T>(wrapped_sum(first, wrapped_product(i, by)));
      } else {
        elements[i] = static_cast<T>(first + static_cast<Wide>(i) * by);
      }
    }
  });
  if (flat.get() != out.get()) {
    const Dims strides = row_major_strides(sizes_of(info));
    cast(info, flat.alias(sizes_of(info), strides, 0).info());
  }
}

}  // namespace

Operator operator_kArangeOut() { return routine_of<ops::kArangeOut, &arange_out>(); }

}  // namespace tenon::kernels::cpu
