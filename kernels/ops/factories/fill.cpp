// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::fill, and the operators that it calls.
#include "kernels/ops/factories/fill.h"

namespace tenon::kernels {

void check_fill_target(const char* op, const tenon_tensor_info& self) {
  check_not_read_only(op, "self", self);
}

void check_fill(const char* op, const tenon_tensor_info& self, const Scalar& value) {
  check_fill_target(op, self);
  visit(op, "self", dtype_of_info(self), StoredTypes(),
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

namespace {

void fill_with(const Call& call, Tensor& self) {
  const Tensor value = *call.get<Tensor>(1);
  if (value.ndim() != 0) fail_argument(call.op(), "value", "a 0-dim tensor", value.sizes());
  // If value is an element of self, it would be overwritten while it is read.
  const bool is_own = tenon_tensor_storage(value.get()) == tenon_tensor_storage(self.get());
  if (is_own) {
    static constinit const LazyOp<Tensor(const Tensor&, std::optional<MemoryFormat>)> clone(
        "aten::clone");
    call_copy(self, clone(value, std::nullopt));
  } else {
    call_copy(self, value);
  }
}

}  // namespace

void fill_tensor_in_place(const Call& call) {
  Tensor self = *call.get<Tensor>(0);
  fill_with(call, self);
}

void fill_tensor(const Call& call) {
  const tenon_tensor_info like = call.get<Tensor>(0)->info();
  Tensor made = empty_in_format(call.op(), like, MemoryFormat::Preserve, options_like(like, {}));
  fill_with(call, made);
  call.give(0, std::move(made));
}

}  // namespace ops

}  // namespace tenon::kernels
