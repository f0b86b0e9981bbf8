// SPDX-License-Identifier: Apache-2.0
// The C++ part of the vision example: the schema of gaussian_blur, the kernel of to_linear, a
// caller.
#include <array>
#include <cmath>
#include <tuple>

#include <tenon/tenon.hpp>

namespace {

using tenon::Tensor;

// 8-bit sRGB to linear light (IEC 61966-2-1).
Tensor to_linear(const Tensor& image) {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> linear{};
    for (size_t i = 0; i < linear.size(); ++i) {
      const float x = static_cast<float>(i) / 255.0f;
      linear[i] = x <= 0.04045f ? x / 12.92f : std::pow((x + 0.055f) / 1.055f, 2.4f);
    }
    return linear;
  }();
  Tensor result = Tensor::empty(image.sizes(), tenon::Dtype::F32);
  float* to = result.data<float>();
  for (const uint8_t pixel : image.elements<uint8_t>()) *to++ = table[pixel];
  return result;
}

std::tuple<Tensor, Tensor, Tensor> pipeline(const Tensor& image) {
  const auto op = [](const char* name) { return tenon::Op(std::string("vision::") + name); };
  const Tensor linear = op("to_linear")(image)[0].tensor();
  const Tensor blurred = op("gaussian_blur")(linear)[0].tensor();
  const Tensor edges = op("edges")(blurred, tenon::kw("gain", 4.0))[0].tensor();
  const Tensor inked = op("ink")(linear, edges, tenon::kw("strength", 0.9))[0].tensor();
  return {blurred, edges, op("to_srgb")(inked)[0].tensor()};
}

}  // namespace

TENON_FRAGMENT(vision, m) {
  m.def("gaussian_blur(Tensor image, float sigma=1.5) -> Tensor");
  m.impl("to_linear", TENON_KEY_CPU, &to_linear, {.name = "to_linear"});
}

TENON_LIBRARY(vision_cpp, m) {
  m.def("pipeline(Tensor image) -> (Tensor, Tensor, Tensor)", &pipeline);
}

TENON_PLUGIN("vision_cpp", "0.1.0");
