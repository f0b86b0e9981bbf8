// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::gather, its gradient, and aten::take_along_dim.
#include "kernels/ops/indexing/gather.h"

#include "kernels/common/overlap.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {

Tensor gather_result(const Call& call, int64_t& dim) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  const tenon_tensor_info index = call.get<Tensor>(2)->info();
  dim = check_places(call.op(), self, dim, index);
  if (!call.form.is_functional()) {
    const tenon_tensor_info out = Tensor::retain(call.written()).info();
    check_no_overlap(call.op(), out, self);
    check_no_overlap(call.op(), out, index);
  }
  return result_for(call, sizes_of(index), dtype_of_info(self), Device(self.device));
}

namespace ops {

void gather_meta(const Call& call) {
  auto dim = call.get<int64_t>(1);
  Tensor result = gather_result(call, dim);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

void gather_backward(const Call& call) {
  const auto grad = call.get<Tensor>(0);
  const Tensor zeros = call_zeros(call.get<Sizes>(1), options_like(kind_of(*grad), {}));
  call.give(0, call_scatter_add(zeros, call.get<int64_t>(2), *call.get<Tensor>(3), *grad));
}

void take_along_dim(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, bool)> gather(
      "aten::gather");
  const Tensor self = *call.get<Tensor>(0);
  const Tensor indices = *call.get<Tensor>(1);
  const auto given = call.get<std::optional<int64_t>>(2);
  if (indices.dtype() != Dtype::I64) {
    fail_argument(call.op(), "indices", "have dtype int64", indices.dtype());
  }
  if (!given) {
    const int64_t flat[] = {-1};
    return call.give(0, gather(call_reshape(self, flat), 0, call_reshape(indices, flat), false));
  }
  if (self.ndim() != indices.ndim()) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": indices must have as many dims as self, ",
                                        self.ndim(), ", got ", indices.ndim()});
  }
  const int64_t dim = wrap_dim(call.op(), *given, self.ndim());
  // All other dims are broadcast.
  Dims of_self(self.sizes()), of_indices(indices.sizes());
  if (!of_self.empty()) of_self[dim] = of_indices[dim];
  const Dims common = broadcast(call.op(), of_self, of_indices);
  Dims self_sizes = common;
  Tensor places = call_expand(indices, common);
  if (!common.empty()) {
    self_sizes[dim] = self.sizes()[static_cast<size_t>(dim)];
    // Indices along a dim wrap around in both directions, as in PyTorch.
    static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> wrapped(
        "aten::remainder.Scalar");
    if (self_sizes[dim] != 0) places = wrapped(places, Scalar(self_sizes[dim]));
  }
  call.give(0, gather(call_expand(self, self_sizes), dim, places, false));
}

}  // namespace ops

}  // namespace tenon::kernels
