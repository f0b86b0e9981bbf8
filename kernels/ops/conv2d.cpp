// SPDX-License-Identifier: Apache-2.0
// What aten::conv2d calls: columns of what the window sees, and a product of matrices.
#include "kernels/ops/conv2d.h"

#include "kernels/common/call.h"
#include "kernels/common/window.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels::ops {
namespace {

void check_channels(const Call& call, const Tensor& input, const Tensor& weight,
                    const std::optional<Tensor>& bias, int64_t groups) {
  const char* op = call.op();
  if (weight.ndim() != 4) fail_argument(op, "weight", "of 4 dims", weight.sizes());
  if (input.ndim() != 3 && input.ndim() != 4) {
    fail_argument(op, "input", "of 3 dims, or 4 with a batch", input.sizes());
  }
  if (groups < 1) fail_argument(op, "groups", "above 0", groups);
  const int64_t channels = input.sizes()[static_cast<size_t>(input.ndim() - 3)];
  if (channels != weight.sizes()[1] * groups) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": input must have ", weight.sizes()[1] * groups, " channels for weight of sizes ",
          weight.sizes(), " and ", groups, " groups, got ", input.sizes()});
  }
  if (weight.sizes()[0] % groups != 0 || weight.sizes()[0] == 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": weight must have output channels that ", groups,
                                        " groups share, got ", weight.sizes()});
  }
  if (bias && !(Dims(bias->sizes()) == Dims{weight.sizes()[0]})) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": bias must be of sizes [", weight.sizes()[0], "], got ", bias->sizes()});
  }
  check_dtype_of(op, "weight", weight.dtype(), "input", input.dtype());
  if (bias) check_dtype_of(op, "bias", bias->dtype(), "input", input.dtype());
}

}  // namespace

void conv2d(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, Sizes, Sizes, Sizes)> im2col(
      "aten::im2col");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> matmul("aten::matmul");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> add(
      "aten::add.Tensor");
  Tensor input = *call.get<Tensor>(0);
  const Tensor weight = *call.get<Tensor>(1);
  const auto bias = call.get<std::optional<Tensor>>(2);
  const auto groups = call.get<int64_t>(6);
  check_channels(call, input, weight, bias, groups);
  const bool has_batch = input.ndim() == 4;
  if (!has_batch) input = call_unsqueeze(input, 0);
  const Sizes kernel = weight.sizes().subspan(2);
  const Sizes stride = call.get<Sizes>(3), padding = call.get<Sizes>(4);
  const Tensor columns = im2col(input, kernel, call.get<Sizes>(5), padding, stride);
  Window window;
  for (size_t d = 0; d < 2; ++d) {
    window.along[d] = {kernel[d], stride[d], padding[d], call.get<Sizes>(5)[d]};
  }
  const int64_t batch = input.sizes()[0];
  const int64_t outputs = weight.sizes()[0];
  const int64_t seen = columns.sizes()[1] / groups;
  const int64_t places = columns.sizes()[2];
  const Tensor product = matmul(call_reshape(weight, Dims{groups, outputs / groups, seen}),
                                call_reshape(columns, Dims{batch, groups, seen, places}));
  Dims sizes{batch, outputs, window.places(call.op(), 0, input.sizes()[2]),
             window.places(call.op(), 1, input.sizes()[3])};
  if (!has_batch) sizes.erase(0);
  Tensor result = call_reshape(product, sizes);
  if (bias) result = add(result, call_reshape(*bias, Dims{outputs, 1, 1}), Scalar(1));
  call.give(0, std::move(result));
}

}  // namespace tenon::kernels::ops
