// SPDX-License-Identifier: Apache-2.0
// The taps of aten::upsample_nearest2d and similar operators.
#include "kernels/ops/vision/upsample_nearest.h"

#include <cmath>
#include <string_view>

#include "kernels/common/maths/element.h"
#include "kernels/ops/vision/upsampling.h"

namespace tenon::kernels {
namespace {

// Computed in the precision of the elements, which is PyTorch's rounding.
template <class Real>
Taps nearest_line(int64_t size, const Upsampled& to, bool exact) {
  const Real step = to.scale > 0 ? static_cast<Real>(1.0 / to.scale)
                                 : static_cast<Real>(size) / static_cast<Real>(to.size);
  const auto list = [size, step, exact](Taps& taps) {
    for (int64_t i = 0; i < taps.out; ++i) {
      const Real place =
          exact ? step * (static_cast<Real>(i) + Real(0.5)) : step * static_cast<Real>(i);
      taps.add({index_of(std::floor(place), size)});
    }
  };
  return Taps::listed(size, to.size, list);
}

template <int kSize, int kScale>
std::vector<Taps> nearest(const Call& call, Sizes sizes) {
  const bool exact = std::string_view(call.facts().name).find("exact") != std::string_view::npos;
  const bool is_double = call.get<Tensor>(0)->dtype() == Dtype::F64;
  std::vector<Taps> all;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const Upsampled to = upsampled(call, kSize, kScale, static_cast<int>(d), sizes.size());
    all.push_back(is_double ? nearest_line<double>(sizes[d], to, exact)
                            : nearest_line<float>(sizes[d], to, exact));
  }
  return all;
}

}  // namespace

Resampling upsample_nearest_plan(const Call& call) {
  check_dtype(call.op(), "self", call.get<Tensor>(0)->dtype(),
              Joined<FloatTypes, ElementTypes<uint8_t>>());
  return upsampling_plan(call, &nearest<1, 2>);
}

Resampling upsample_nearest_gradient_plan(const Call& call) {
  check_dtype(call.op(), "grad_output", call.get<Tensor>(0)->dtype(),
              Joined<FloatTypes, ElementTypes<uint8_t>>());
  return upsampling_gradient_plan(call, &nearest<1, 3>);
}

namespace ops {

void upsample_nearest_vec(const Call& call) { upsample_vec(call); }

}  // namespace ops

}  // namespace tenon::kernels
