// SPDX-License-Identifier: Apache-2.0
// Argument checks and result of aten::im2col and aten::col2im.
#include "kernels/ops/convolution/im2col.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/overlap.h"

namespace tenon::kernels {
namespace {

tenon_tensor_info unfoldable(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_defined(call.op(), "self", self);
  return self;
}

Tensor unfolding_result(const Call& call, const tenon_tensor_info& self, Sizes sizes) {
  check_written_apart(call, self);
  return result_for(call, sizes, dtype_of_info(self), Device(self.device));
}

}  // namespace

Unfolding im2col_plan(const Call& call) {
  const tenon_tensor_info self = unfoldable(call);
  if (self.ndim != 3 && self.ndim != 4) {
    fail_argument(call.op(), "self", "have 3 dims, or 4 with a batch", sizes_of(self));
  }
  Unfolding plan{};
  plan.window = Window::of(call, 1, 4, 3, 2);
  const bool has_batch = self.ndim == 4;
  plan.batch = has_batch ? self.sizes[0] : 1;
  plan.channels = self.sizes[self.ndim - 3];
  CheckedSize columns(call.op(), 1), rows(call.op(), plan.channels);
  for (int d = 0; d < 2; ++d) {
    plan.sizes[d] = self.sizes[self.ndim - 2 + d];
    plan.places[d] = plan.window.places(call.op(), d, plan.sizes[d]);
    columns = columns * plan.places[d];
    rows = rows * plan.window.along[d].kernel;
  }
  Dims sizes{rows.value(), columns.value()};
  if (has_batch) sizes.insert(0, plan.batch);
  plan.result = unfolding_result(call, self, sizes);
  plan.image = self;
  plan.columns = plan.result.info();
  return plan;
}

Unfolding col2im_plan(const Call& call) {
  const tenon_tensor_info self = unfoldable(call);
  if (self.ndim != 2 && self.ndim != 3) {
    fail_argument(call.op(), "self", "have 2 dims, or 3 with a batch", sizes_of(self));
  }
  const auto image = call.get<Sizes>(1);
  if (image.size() != 2) fail_argument(call.op(), "output_size", "two numbers", image);
  Unfolding plan{};
  plan.window = Window::of(call, 2, 5, 4, 3);
  const bool has_batch = self.ndim == 3;
  plan.batch = has_batch ? self.sizes[0] : 1;
  CheckedSize columns(call.op(), 1), windows(call.op(), 1);
  for (int d = 0; d < 2; ++d) {
    plan.sizes[d] = image[static_cast<size_t>(d)];
    plan.places[d] = plan.window.places(call.op(), d, plan.sizes[d]);
    columns = columns * plan.places[d];
    windows = windows * plan.window.along[d].kernel;
  }
  const int64_t seen = windows.value();
  const int64_t rows = self.sizes[self.ndim - 2];
  if (rows % seen != 0 || self.sizes[self.ndim - 1] != columns.value()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self must have a number of rows that is divisible by ", seen, ", and ",
          columns.value(), " columns, got ", sizes_of(self)});
  }
  plan.channels = rows / seen;
  Dims sizes{plan.channels, plan.sizes[0], plan.sizes[1]};
  if (has_batch) sizes.insert(0, plan.batch);
  plan.result = unfolding_result(call, self, sizes);
  plan.image = plan.result.info();
  plan.columns = self;
  return plan;
}

namespace ops {

void im2col_meta(const Call& call) {
  Unfolding plan = im2col_plan(call);
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

void col2im_meta(const Call& call) {
  Unfolding plan = col2im_plan(call);
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

}  // namespace ops

}  // namespace tenon::kernels
