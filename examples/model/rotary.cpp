// SPDX-License-Identifier: Apache-2.0
// A plugin in C++: model_cpp::rotary, which rotates queries and keys by their positions (Su et al.
// 2021). Its gradient is the inverse rotation.
#include <cmath>
#include <cstdint>

#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

namespace {

using tenon::Tensor;

// Rotates each pair of numbers i, i + dims / 2 of the last dim by position / 10000^(2 i / dims),
// where the position is the index in the dim before; `back` inverts the rotation.
Tensor rotary(const Tensor& given, bool back) {
  if (given.ndim() < 2 || given.dtype() != tenon::Dtype::F32 || given.size(-1) % 2 != 0) {
    throw tenon::Error(TENON_ERROR_INVALID_ARGUMENT,
                       "model_cpp::rotary: x must be float32 with two dims or more, the last of an "
                       "even size, got " +
                           given.str());
  }
  const Tensor x = tenon::ops::aten::contiguous(given);
  const int64_t positions = x.size(-2), dims = x.size(-1);
  Tensor y = Tensor::empty(x.sizes(), tenon::Dtype::F32);
  const float* from = x.data<float>();
  float* to = y.data<float>();
  for (int64_t row = 0; row < x.numel() / dims; ++row, from += dims, to += dims) {
    const double position = static_cast<double>(row % positions) * (back ? -1 : 1);
    for (int64_t i = 0; i < dims / 2; ++i) {
      const double angle = position / std::pow(10000.0, 2.0 * static_cast<double>(i) / dims);
      const auto cosine = static_cast<float>(std::cos(angle));
      const auto sine = static_cast<float>(std::sin(angle));
      to[i] = from[i] * cosine - from[i + dims / 2] * sine;
      to[i + dims / 2] = from[i] * sine + from[i + dims / 2] * cosine;
    }
  }
  return y;
}

}  // namespace

TENON_LIBRARY(model_cpp, m) {
  m.def("rotary(Tensor x, bool back=False) -> Tensor");
  m.impl("rotary", TENON_KEY_CPU, &rotary, {.name = "rotary"});
  tenon::register_autograd(
      m, "rotary",
      [op = tenon::Op("model_cpp::rotary")](
          const tenon::autograd::BackwardCall& call) -> tenon::autograd::variable_list {
        const bool back = call.saved_value(0).as.i != 0;
        return {op(call.grad(), !back)[0].tensor()};
      },
      "back");
}

TENON_PLUGIN("model_cpp", "0.1.0");
