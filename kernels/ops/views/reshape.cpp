// SPDX-License-Identifier: Apache-2.0
// Implements aten::reshape by calling other operators.
#include "kernels/ops/views/reshape.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

void reshape(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> view("aten::view");
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> unsafe_view("aten::_unsafe_view");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<MemoryFormat>)> clone(
      "aten::clone");
  const auto self = call.get<Tensor>(0);
  const tenon_tensor_info info = self->info();
  const Dims sizes = infer_sizes(call.op(), call.get<Sizes>(1), info.numel);
  const bool fits = view_strides(info, sizes).has_value();
  call.give(0,
            fits ? view(self, sizes) : unsafe_view(clone(self, MemoryFormat::Contiguous), sizes));
}

void reshape_as(const Call& call) {
  call.give(0, call_reshape(call.get<Tensor>(0), call.get<Tensor>(1)->sizes()));
}

void ravel(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  // A single stride would suffice for elements with gaps too, but PyTorch's result is contiguous.
  static constinit const LazyOp<Tensor(const Tensor&, MemoryFormat)> contiguous("aten::contiguous");
  call.give(
      0, call_reshape(contiguous(self, MemoryFormat::Contiguous), SymbolicDims{numel_word(self)}));
}

}  // namespace tenon::kernels::ops
