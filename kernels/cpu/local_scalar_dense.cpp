// SPDX-License-Identifier: Apache-2.0
// aten::_local_scalar_dense on the CPU.
#include "kernels/common/registrar.h"
#include "kernels/cpu/loops.h"

namespace tenon::kernels::cpu {
namespace {

Scalar local_scalar_dense(const Tensor& self) {
  constexpr const char* kOp = "aten::_local_scalar_dense";
  const tenon_tensor_info info = self.info();
  if (info.numel != 1 || (info.flags & TENON_TENSOR_UNDEFINED) != 0) {
    fail_argument(kOp, "self", "a tensor of one element", info.numel);
  }
  return visit(kOp, "self", dtype_of_info(info), AllTypes(), [&]<class T>(Element<T>) -> Scalar {
    const auto element = load<T>(static_cast<const char*>(info.data));
    if constexpr (std::is_same_v<T, bool>) {
      return Scalar(static_cast<bool>(element));
    } else if constexpr (std::is_integral_v<T>) {
      return Scalar(static_cast<int64_t>(element));
    } else if constexpr (is_complex_element<T>) {
      return Scalar(std::complex<double>(element.re, element.im));
    } else {
      return Scalar(static_cast<double>(element));
    }
  });
}

}  // namespace

void register_local_scalar_dense(Library& aten) {
  aten.impl("_local_scalar_dense", TENON_KEY_CPU, &local_scalar_dense,
            quick("cpu::local_scalar_dense"));
}

}  // namespace tenon::kernels::cpu
