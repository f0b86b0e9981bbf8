// SPDX-License-Identifier: Apache-2.0
// Implements aten::one_hot by calling other operators.
#include "kernels/ops/embedding/one_hot.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

void one_hot(const Call& call) {
  static constinit const LazyOp<Tensor(const Scalar&, std::optional<Dtype>, std::optional<Layout>,
                                       std::optional<Device>, std::optional<bool>)>
      arange("aten::arange");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> equal("aten::eq.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&)> largest("aten::max");
  static constinit const LazyOp<Tensor(const Tensor&)> smallest("aten::min");
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  const Tensor self = *call.get<Tensor>(0);
  auto classes = call.get<int64_t>(1);
  if (self.dtype() != Dtype::I64) fail_dtype(call.op(), "self", self.dtype(), "int64");
  if (classes < -1 || (classes < 1 && numel_of(self) == 0)) {
    fail_argument(call.op(), "num_classes", numel_of(self) == 0 ? "above 0" : "0 or above, or -1",
                  classes);
  }
  const tenon_tensor_info info = self.info();
  if (numel_of(self) != 0 && has_data(info)) {
    const int64_t least = item(smallest(self)).to_int(), most = item(largest(self)).to_int();
    if (least < 0) fail_argument(call.op(), "self", "have no class below 0", least);
    if (classes == -1) classes = (CheckedSize(call.op(), most) + 1).value();
    if (most >= classes) {
      fail_argument(call.op(), "self", "have classes below " + std::to_string(classes), most);
    }
  } else if (classes == -1) {
    fail_without_data(call.op(), "num_classes must be given for self without data", info);
  }
  const Tensor numbers =
      arange(Scalar(classes), Dtype::I64, std::nullopt, self.device(), std::nullopt);
  call.give(0, cast(equal(call_unsqueeze(self, -1), numbers), Dtype::I64));
}

}  // namespace tenon::kernels::ops
