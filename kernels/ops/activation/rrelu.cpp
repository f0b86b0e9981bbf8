// SPDX-License-Identifier: Apache-2.0
// The results of aten::rrelu_with_noise_functional, and the implementation of aten::rrelu.
#include "kernels/ops/activation/rrelu.h"

#include <algorithm>

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

using WithNoise = std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&, const Scalar&,
                                             const Scalar&, bool, const std::optional<Generator>&);
constinit const LazyOp<WithNoise> with_noise("aten::rrelu_with_noise_functional");

void check_slopes(const Call& call, double lower, double upper) {
  if (!(lower <= upper)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": lower must be at most upper, got ", Scalar(lower), " and ", Scalar(upper)});
  }
}

}  // namespace

RandomSlopes random_slopes_of(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), noise = *call.get<Tensor>(1);
  check_floating(call.op(), "self", self.dtype());
  check_dtype_of(call.op(), "noise", noise.dtype(), "self", self.dtype());
  if (!std::ranges::equal(self.sizes(), noise.sizes())) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": noise must have the sizes of self, ",
                                        self.sizes(), ", got ", noise.sizes()});
  }
  RandomSlopes slopes{
      {}, {}, call.get<Scalar>(2).to_double(), call.get<Scalar>(3).to_double(), call.get<bool>(4)};
  if (slopes.draws) check_slopes(call, slopes.lower, slopes.upper);
  slopes.result = result_for(call, self.sizes(), self.dtype(), self.device());
  const Dims strides = preserving_strides(noise.sizes(), noise.strides());
  slopes.noise = result_for(call, noise.sizes(), noise.dtype(), noise.device(), strides.begin(), 1);
  return slopes;
}

void rrelu_with_noise_meta(const Call& call) {
  RandomSlopes slopes = random_slopes_of(call);
  call.give(0, std::move(slopes.result));
  call.give(1, std::move(slopes.noise));
}

void rrelu_with_noise(const Call& call) {
  const auto training = call.get<bool>(4);
  Tensor noise = *call.get<Tensor>(1);
  auto [result, drawn] =
      with_noise(*call.get<Tensor>(0), noise, call.get<Scalar>(2), call.get<Scalar>(3), training,
                 call.get<std::optional<Generator>>(5));
  if (training) call_copy(noise, drawn);
  give_or_write(call, std::move(result));
}

void rrelu(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const auto lower = call.get<Scalar>(1), upper = call.get<Scalar>(2);
  check_slopes(call, lower.to_double(), upper.to_double());
  auto result = with_noise(self, self, lower, upper, call.get<bool>(3),
                           call.get<std::optional<Generator>>(4));
  give_or_write(call, std::move(std::get<0>(result)));
}

void rrelu_with_noise_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&, bool)> leaky(
      "aten::leaky_relu_backward");
  const Tensor grad = *call.get<Tensor>(0);
  if (call.get<bool>(5)) return call.give(0, call_mul(grad, *call.get<Tensor>(2)));
  const double both = call.get<Scalar>(3).to_double() + call.get<Scalar>(4).to_double();
  call.give(0, leaky(grad, *call.get<Tensor>(1), Scalar(both / 2), call.get<bool>(6)));
}

}  // namespace tenon::kernels::ops
