// SPDX-License-Identifier: Apache-2.0
// aten::fill_: sets every element to a number.
#include "kernels/ops/fill.h"

#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

Tensor& fill_meta(Tensor& self, const Scalar& value) {
  check_fill("aten::fill_.Scalar", self.info(), value);
  return self;
}

}  // namespace

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

void register_fill(Library& aten) {
  aten.def("fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)", {"inplace"});
  aten.impl("fill_.Scalar", TENON_KEY_META, &fill_meta, quick("fill_meta"));
}

}  // namespace tenon::kernels
