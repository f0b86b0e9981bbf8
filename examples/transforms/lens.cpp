// SPDX-License-Identifier: Apache-2.0
// The lens of lens.py: its surface is found by tracing rays, differentiated by its two parameters.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include <tenon/hpp/func.hpp>
#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

using tenon::Tensor;
namespace aten = tenon::ops::aten;
namespace func = tenon::func;

constexpr double kIndex = 1.5;  // refractive index of the glass
constexpr double kFocus = 2.0;  // where the rays should meet, measured from the vertex

static Tensor operator+(const Tensor& a, double b) { return aten::add(a, b); }
static Tensor operator+(const Tensor& a, const Tensor& b) { return aten::add(a, b); }
static Tensor operator-(const Tensor& a, const Tensor& b) { return aten::sub(a, b); }
static Tensor operator-(double a, const Tensor& b) { return aten::rsub(b, a); }
static Tensor operator*(const Tensor& a, double b) { return aten::mul(a, b); }
static Tensor operator*(const Tensor& a, const Tensor& b) { return aten::mul(a, b); }
static Tensor operator/(const Tensor& a, const Tensor& b) { return aten::div(a, b); }

// Traces one ray; returns its distance from the focus in the focal plane.
static Tensor miss(const Tensor& surface, const Tensor& height) {
  const Tensor curvature = surface[0], conic = surface[1];
  const Tensor square = height * height * curvature;
  const Tensor root = aten::sqrt(1 - (conic + 1) * square * curvature);
  const Tensor sag = square / (root + 1);
  const Tensor slope = curvature * height / root;
  // Snell's law by vectors: the normal is (1, slope) / sqrt(1 + slope^2), the ray (1, 0).
  const Tensor cos_in = aten::reciprocal(aten::sqrt(slope * slope + 1));
  const Tensor cos_out = aten::sqrt(1 - (1 - cos_in * cos_in) * (kIndex * kIndex));
  const Tensor bent = (cos_out - cos_in * kIndex) * cos_in;
  return height + bent * slope / (bent + kIndex) * (sag + kFocus);
}

static std::span<double> numbers(const Tensor& tensor) { return tensor.elements<double>(); }

// One step of Gauss-Newton, by the normal equations.
static Tensor improved(const Tensor& surface, const Tensor& misses, const Tensor& jacobian) {
  const Tensor transposed = aten::t(jacobian);
  const Tensor normal = aten::mm(transposed, jacobian).contiguous();
  const Tensor right = aten::matmul(transposed, misses).contiguous();
  const auto m = numbers(normal), r = numbers(right), s = numbers(surface);
  const double determinant = m[0] * m[3] - m[1] * m[2];
  return Tensor::from({s[0] - (m[3] * r[0] - m[1] * r[1]) / determinant,
                       s[1] - (m[0] * r[1] - m[2] * r[0]) / determinant},
                      {2});
}

int main() {
  std::vector<double> places;
  for (int i = -6; i <= 6; ++i) places.push_back(0.1 * i);
  const Tensor heights = Tensor::adopt(std::move(places), std::vector<int64_t>{13});
  const auto misses = [&](const Tensor& surface) {
    return func::vmap(miss, {std::nullopt, 0})(surface, heights);
  };
  Tensor surface = Tensor::from({0.7, 0.0}, {2});
  for (int step = 0; step < 12; ++step) {
    surface = improved(surface, misses(surface), func::jacfwd(misses)(surface));
  }
  double worst = 0;
  const Tensor found = misses(surface);
  for (const double each : numbers(found)) worst = std::max(worst, std::fabs(each));
  std::printf("lens: curvature %.4f, conic constant %.4f; rays miss the focus by %.0e\n",
              numbers(surface)[0], numbers(surface)[1], worst);
  return worst < 1e-9 ? 0 : 1;
}
