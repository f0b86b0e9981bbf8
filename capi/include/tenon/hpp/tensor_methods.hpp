// SPDX-License-Identifier: Apache-2.0
// Methods of Tensor that call operators.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/tensor_methods.hpp needs C++20: compile with -std=c++20 or later"
#else

#include "tenon/hpp/lazy_op.hpp"
#include "tenon/hpp/tensor.hpp"

namespace tenon::inline hpp {

inline Tensor Tensor::contiguous() const {
  static constinit const LazyOp<Tensor(const Tensor&, MemoryFormat)> op_("aten::contiguous");
  return op_(*this, MemoryFormat::Contiguous);
}

inline Tensor Tensor::operator[](int64_t index) const {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> op_("aten::select.int");
  return op_(*this, 0, index);
}

}  // namespace tenon::inline hpp

#endif
