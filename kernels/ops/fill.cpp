// SPDX-License-Identifier: Apache-2.0
// What aten::fill refuses, and what it calls.
#include "kernels/ops/fill.h"

namespace tenon::kernels {

void check_fill_target(const char* op, const tenon_tensor_info& self) {
  if ((self.flags & TENON_TENSOR_READ_ONLY) != 0) [[unlikely]] {
    fail_argument(op, "self", "writable", "a read-only tensor");
  }
}

void check_fill(const char* op, const tenon_tensor_info& self, const Scalar& value) {
  check_fill_target(op, self);
  visit(op, "self", dtype_of_info(self), AllTypes(),
        [&]<class T>(Element<T>) { checked_element_of<T>(op, "value", value); });
}

namespace ops {

void fill_meta(const Call& call) {
  check_fill(call.op(), call.get<Tensor>(0)->info(), call.get<Scalar>(1));
}

void fill(const Call& call) {
  const tenon_tensor_info like = call.get<Tensor>(0)->info();
  Tensor made = empty_in_format(call.op(), like, MemoryFormat::Preserve, options_like(like, {}));
  call_fill(made, call.get<Scalar>(1));
  call.give(0, std::move(made));
}

}  // namespace ops

}  // namespace tenon::kernels
