// SPDX-License-Identifier: Apache-2.0
// Implements aten::hann_window and other windows by calling other operators. Each step is rounded
// to the window's dtype, as in PyTorch.
#include "kernels/ops/spectral/windows.h"

#include <numbers>
#include <string_view>

#include "kernels/common/maths/special_maths.h"
#include "kernels/common/promotion.h"
#include "kernels/common/rounding.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

// In PyTorch, windows of small floats round numbers to their dtype.
double as_element(const Tensor& like, double number) {
  if (!is_half_precision(like.dtype())) return number;
  return round_to(static_cast<tenon_dtype>(like.dtype()), static_cast<float>(number));
}
Tensor window_times(const Tensor& self, double number) {
  return call_mul(self, as_element(self, number));
}
Tensor window_plus(const Tensor& self, double number) {
  return call_add(self, as_element(self, number));
}

Tensor window_cosine(const Tensor& self) {
  static constinit const LazyOp<Tensor(const Tensor&)> cos("aten::cos");
  return cos(self);
}

// Returns argument k, or `number` in an overload without it.
double number_or(const Call& call, int k, double number) {
  const int given = call.form.is_out() ? call.form.written : call.form.options;
  return k < given ? call.get<double>(k) : number;
}

Tensor counted(int64_t length, const FactoryOptions& options) {
  static constinit const LazyOp<Tensor(const Scalar&, std::optional<Dtype>, std::optional<Layout>,
                                       std::optional<Device>, std::optional<bool>)>
      arange("aten::arange");
  return arange(Scalar(length), options.dtype, options.layout, options.device, options.pin_memory);
}

// Returns `numbers` of the positions 0, 1, ... and of the last position. A periodic window is one
// that is longer by one element, without its last.
template <class Numbers>
void give_window(const Call& call, const Numbers& numbers) {
  const auto length = call.get<int64_t>(0);
  if (length < 0) fail_argument(call.op(), "window_length", ">= 0", length);
  FactoryOptions options = options_of(call);
  if (call.form.is_out()) options = options_like(Tensor::retain(call.written()).info(), {});
  const Dtype dtype = options.dtype.value_or(default_dtype());
  check_floating(call.op(), "dtype", dtype);
  options.dtype = dtype;
  if (length < 2) {
    Tensor made = call_empty(Dims{length}, options);
    call_fill(made, Scalar(1));
    return call.give(0, std::move(made));
  }
  const bool is_periodic = call.form.names[1] != std::string_view("periodic") || call.get<bool>(1);
  const int64_t last = is_periodic ? length : length - 1;
  call.give(0, numbers(counted(length, options), last));
}

void give_cosines(const Call& call, double alpha, double beta) {
  give_window(call, [=](const Tensor& places, int64_t last) {
    const double step = std::numbers::pi * 2 / static_cast<double>(last);
    return window_plus(window_times(window_cosine(window_times(places, step)), -beta), alpha);
  });
}

}  // namespace

void hann_window(const Call& call) { give_cosines(call, 0.5, 0.5); }

void hamming_window(const Call& call) {
  give_cosines(call, number_or(call, 2, 0.54), number_or(call, 3, 0.46));
}

void blackman_window(const Call& call) {
  give_window(call, [](const Tensor& places, int64_t last) {
    const Tensor angles = window_times(places, std::numbers::pi / static_cast<double>(last));
    const Tensor fast = window_times(window_cosine(window_times(angles, 4.0)), 0.08);
    const Tensor slow = window_times(window_cosine(window_times(angles, 2.0)), 0.5);
    return window_plus(call_sub(fast, slow), 0.42);
  });
}

void bartlett_window(const Call& call) {
  give_window(call, [](const Tensor& places, int64_t last) {
    const Tensor rising = window_times(places, 2 / static_cast<double>(last));
    const int64_t half = last / 2 + 1;
    const Tensor falling =
        window_plus(window_times(call_slice(rising, 0, half, places.sizes()[0]), -1.0), 2.0);
    return call_cat({call_slice(rising, 0, 0, half), falling}, 0);
  });
}

// Small floats are computed in float and rounded once.
void kaiser_window(const Call& call) {
  const double beta = number_or(call, 2, 12.0);
  give_window(call, [=](const Tensor& places, int64_t last) {
    static constinit const LazyOp<Tensor(const Tensor&)> i0("aten::i0");
    const Dtype dtype = places.dtype();
    const bool is_small = is_half_precision(dtype);
    const Tensor wide = is_small ? cast(places, Dtype::F32) : places;
    const Tensor x = call_add(call_mul(wide, 2 / static_cast<double>(last)), -1.0);
    const Tensor height = call_sqrt(call_clamp_min(call_rsub(1, call_mul(x, x)), 0));
    const Tensor window = call_mul(i0(call_mul(height, beta)), 1 / maths::i0(beta));
    return is_small ? cast(window, dtype) : window;
  });
}

}  // namespace tenon::kernels::ops
