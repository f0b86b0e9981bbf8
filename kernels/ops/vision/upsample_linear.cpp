// SPDX-License-Identifier: Apache-2.0
// The taps of aten::upsample_bilinear2d and similar operators, and their weights.
#include "kernels/ops/vision/upsample_linear.h"

#include <cmath>
#include <string_view>

#include "kernels/common/maths/element.h"
#include "kernels/ops/vision/upsampling.h"

namespace tenon::kernels {
namespace {

// Maps positions of the result to the input, in the precision of the elements, which is PyTorch's
// rounding.
template <class Real>
struct Scale {
  Real step;
  bool aligns;
  Scale(int64_t size, const Upsampled& to, bool aligns_corners) : aligns(aligns_corners) {
    if (aligns) {
      step = to.size > 1 ? static_cast<Real>(size - 1) / static_cast<Real>(to.size - 1) : Real(0);
    } else {
      step = to.scale > 0 ? static_cast<Real>(1.0 / to.scale)
                          : static_cast<Real>(size) / static_cast<Real>(to.size);
    }
  }
  Real place(int64_t i) const {
    return aligns ? step * static_cast<Real>(i)
                  : step * (static_cast<Real>(i) + Real(0.5)) - Real(0.5);
  }
};

template <class Real>
Taps linear_line(int64_t size, const Upsampled& to, bool aligns) {
  const Scale<Real> scale(size, to, aligns);
  const auto list = [size, scale](Taps& taps) {
    for (int64_t i = 0; i < taps.out; ++i) {
      if (size == taps.out) {  // whatever the scale
        taps.add({i});
        continue;
      }
      const Real place = std::max(scale.place(i), Real(0));
      const int64_t at = index_of(place, size);
      const Real behind = std::clamp(place - static_cast<Real>(at), Real(0), Real(1));
      taps.add({at, std::min(at + 1, size - 1)});
      taps.weights.push_back(Real(1) - behind);
      taps.weights.push_back(behind);
    }
  };
  return Taps::listed(size, to.size, list);
}

// Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -0.75.
template <class Real>
Real cubic_weight(Real distance) {
  constexpr Real a(-0.75);
  if (distance <= 1) return ((a + 2) * distance - (a + 3)) * distance * distance + 1;
  return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a;
}

template <class Real>
Taps cubic_line(int64_t size, const Upsampled& to, bool aligns) {
  const Scale<Real> scale(size, to, aligns);
  const auto list = [size, scale](Taps& taps) {
    for (int64_t i = 0; i < taps.out; ++i) {
      const Real place = scale.place(i), whole = std::floor(place);
      const auto inside = [&](Real index) { return index_of(index, size); };
      taps.add({inside(whole - 1), inside(whole), inside(whole + 1), inside(whole + 2)});
      const Real behind = place - whole;
      for (const Real distance : {behind + 1, behind, 1 - behind, 2 - behind}) {
        taps.weights.push_back(cubic_weight(distance));
      }
    }
  };
  return Taps::listed(size, to.size, list);
}

template <class Real>
Taps line_of(bool is_cubic, int64_t size, const Upsampled& to, bool aligns) {
  return is_cubic ? cubic_line<Real>(size, to, aligns) : linear_line<Real>(size, to, aligns);
}

template <int kSize, int kAligns>
std::vector<Taps> linear(const Call& call, Sizes sizes) {
  const bool is_cubic = std::string_view(call.facts().name).find("cubic") != std::string_view::npos;
  const bool is_double = call.get<Tensor>(0)->dtype() == Dtype::F64;
  const bool aligns = call.get<bool>(kAligns);
  std::vector<Taps> all;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const Upsampled to = upsampled(call, kSize, kAligns + 1, static_cast<int>(d), sizes.size());
    all.push_back(is_double ? line_of<double>(is_cubic, sizes[d], to, aligns)
                            : line_of<float>(is_cubic, sizes[d], to, aligns));
  }
  return all;
}

}  // namespace

Resampling upsample_linear_plan(const Call& call) {
  check_dtype(call.op(), "self", call.get<Tensor>(0)->dtype(), FloatTypes());
  return upsampling_plan(call, &linear<1, 2>);
}

Resampling upsample_linear_gradient_plan(const Call& call) {
  check_dtype(call.op(), "grad_output", call.get<Tensor>(0)->dtype(), FloatTypes());
  return upsampling_gradient_plan(call, &linear<1, 3>);
}

namespace ops {

void upsample_linear_vec(const Call& call) { upsample_vec(call); }

}  // namespace ops

}  // namespace tenon::kernels
