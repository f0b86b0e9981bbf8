// SPDX-License-Identifier: Apache-2.0
// aten::_local_scalar_dense on the CPU.
#include "kernels/ops/copy/local_scalar_dense.h"

#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void local_scalar_dense(const Call& call) {
  const tenon_tensor_info info = call.get<Tensor>(0)->info();
  if (info.numel != 1 || (info.flags & TENON_TENSOR_UNDEFINED) != 0) {
    fail_argument(call.op(), "self", "a tensor of one element", info.numel);
  }
  const auto read = [&]<class T>(Element<T>) -> Scalar {
    const auto element = load<T>(static_cast<const char*>(info.data));
    if constexpr (std::is_same_v<T, bool>) {
      return Scalar(static_cast<bool>(element));
    } else if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_same_v<T, uint64_t>) {
        if (element > INT64_MAX) {
          fail_argument(call.op(), "self", "an element in the range of int64", "a larger one");
        }
      }
      return Scalar(static_cast<int64_t>(element));
    } else if constexpr (is_complex_element<T>) {
      return Scalar(std::complex<double>(element.re, element.im));
    } else {
      return Scalar(static_cast<double>(element));
    }
  };
  call.results[0] = visit(call.op(), "self", dtype_of_info(info), StoredTypes(), read).value();
}

}  // namespace

Operator operator_kLocalScalarDense() {
  return routine_of<ops::kLocalScalarDense, &local_scalar_dense>(INT64_MAX);
}

}  // namespace tenon::kernels::cpu
