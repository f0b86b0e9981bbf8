// SPDX-License-Identifier: Apache-2.0
// What aten::max_pool2d asks of its arguments, its results and its gradient.
#include "kernels/ops/max_pool2d.h"

#include "kernels/common/element.h"
#include "kernels/common/overlap.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels {

Pooling max_pool2d_plan(const Call& call) {
  Pooling plan{};
  plan.self = call.get<Tensor>(0)->info();
  const tenon_tensor_info& self = plan.self;
  if (self.ndim != 3 && self.ndim != 4) {
    fail_argument(call.op(), "self", "of 3 dims, or 4 with a batch", sizes_of(self));
  }
  check_dtype(call.op(), "self", dtype_of_info(self), RealTypes());
  plan.window = Window::of(call, 1, 2, 3, 4);
  Dims sizes(sizes_of(self));
  for (int d = 0; d < 2; ++d) {
    const Slide& slide = plan.window.along[d];
    if (slide.padding > slide.reach() / 2) {
      fail_argument(call.op(), "padding", "half of what the kernel reaches over at most",
                    slide.padding);
    }
    int64_t& size = sizes[self.ndim - 2 + d];
    plan.places[d] = plan.window.places(call.op(), d, size, call.get<bool>(5));
    size = plan.places[d];
  }
  for (int32_t d = self.ndim - 3; d < self.ndim; ++d) {
    if (self.sizes[d] == 0) {
      fail_argument(call.op(), "self", "without elements in its batch only", sizes_of(self));
    }
  }
  std::optional<Dims> strides;
  if (!is_contiguous(self) && is_channels_last(sizes_of(self), strides_of(self))) {
    strides = channels_last_strides(call.op(), sizes, MemoryFormat::ChannelsLast);
  }
  const int64_t* wanted = strides ? strides->begin() : nullptr;
  const Device device(self.device);
  plan.values = result_for(call, sizes, dtype_of_info(self), device, wanted, 0);
  plan.indices = result_for(call, sizes, Dtype::I64, device, wanted, 1);
  if (!call.form.is_functional()) {
    check_no_overlap(call.op(), plan.values.info(), self);
    check_no_overlap(call.op(), plan.indices.info(), self);
    check_outputs_apart(call.op(), plan.values.info(), plan.indices.info());
  }
  return plan;
}

namespace ops {

void max_pool2d_meta(const Call& call) {
  Pooling plan = max_pool2d_plan(call);
  if (!call.form.is_functional()) return;
  call.give(0, std::move(plan.values));
  call.give(1, std::move(plan.indices));
}

void max_pool2d(const Call& call) {
  static constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, Sizes, Sizes, Sizes,
                                                           Sizes, bool)>
      pool("aten::max_pool2d_with_indices");
  auto [values, indices] = pool(call.get<Tensor>(0), call.get<Sizes>(1), call.get<Sizes>(2),
                                call.get<Sizes>(3), call.get<Sizes>(4), call.get<bool>(5));
  call.give(0, std::move(values));
}

void max_pool2d_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, int64_t, const Tensor&)> scattered(
      "tenon::gather_backward");
  const Tensor grad = *call.get<Tensor>(0);
  const Tensor indices = *call.get<Tensor>(7);
  const Dims sizes(call.get<Tensor>(1)->sizes());
  if (!(Dims(grad.sizes()) == Dims(indices.sizes())) || grad.ndim() != sizes.size() ||
      sizes.size() < 3) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": grad_output must have the sizes of indices, ",
                                        indices.sizes(), ", got ", grad.sizes()});
  }
  // Planes as rows: indices count their elements.
  const int64_t plane = sizes[sizes.size() - 2] * sizes[sizes.size() - 1];
  const Dims places(grad.sizes());
  const int64_t kept = places[places.size() - 2] * places[places.size() - 1];
  const int64_t planes = kept == 0 ? 0 : grad.numel() / kept;
  const Dims rows{planes, kept};
  const Dims whole{planes, plane};
  const Tensor flat = scattered(call_reshape(grad, rows), whole, 1, call_reshape(indices, rows));
  call.give(0, call_reshape(flat, sizes));
}

}  // namespace ops

}  // namespace tenon::kernels
