// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/vision/upsampling.h"

#include <cmath>
#include <vector>

namespace tenon::kernels {
namespace {

void check_batch(const Call& call, Sizes sizes, int slides) {
  if (static_cast<int>(sizes.size()) == slides + 2) return;
  fail_argument(call.op(), call.form.names[0], "have " + std::to_string(slides + 2) + " dims",
                sizes);
}

}  // namespace

Upsampled upsampled(const Call& call, int sizes, int scales, int d, size_t dims) {
  const auto wanted = call.get<Sizes>(sizes);
  if (wanted.size() != dims) {
    fail_argument(call.op(), "output_size", std::to_string(dims) + " sizes", wanted);
  }
  const int64_t size = wanted[static_cast<size_t>(d)];
  if (size < 1) fail_argument(call.op(), "output_size", "have sizes above 0", wanted);
  return {size, call.get<std::optional<double>>(scales + d).value_or(0)};
}

Resampling upsampling_plan(const Call& call, TapsOf taps_of) {
  const int slides = slides_by_name(call);
  check_batch(call, call.get<Tensor>(0)->sizes(), slides);
  return resampling_plan(call, slides, taps_of);
}

Resampling upsampling_gradient_plan(const Call& call, TapsOf taps_of) {
  const int slides = slides_by_name(call);
  check_batch(call, call.get<Tensor>(0)->sizes(), slides);
  return resampling_gradient_plan(call, slides, call.get<Sizes>(2), taps_of);
}

void upsample_vec(const Call& call) {
  const Tensor input = *call.get<Tensor>(0);
  const int slides = slides_by_name(call);
  check_batch(call, input.sizes(), slides);
  const auto count = static_cast<size_t>(slides);
  const auto sizes = call.get<std::optional<Sizes>>(1);
  const bool aligns = call.form.arguments == 4;
  const auto scales = call.get<std::optional<std::span<const double>>>(aligns ? 3 : 2);
  if (sizes.has_value() == scales.has_value()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": output_size or scale_factors must be given, and not both, got ",
          sizes ? "both" : "neither"});
  }
  if (sizes ? sizes->size() != count : scales->size() != count) {
    fail_argument(call.op(), sizes ? "output_size" : "scale_factors",
                  std::to_string(slides) + " numbers",
                  static_cast<int64_t>(sizes ? sizes->size() : scales->size()));
  }
  std::vector<int64_t> wanted;
  for (size_t d = 0; d < count; ++d) {
    const int64_t size = input.sizes()[d + 2];
    const double scaled = scales ? std::floor(static_cast<double>(size) * (*scales)[d]) : 0;
    if (!(std::fabs(scaled) < 0x1.0p63)) {
      fail_argument(call.op(), "scale_factors",
                    "have products with the sizes that fit into 63 bits", Scalar((*scales)[d]));
    }
    wanted.push_back(sizes ? (*sizes)[d] : static_cast<int64_t>(scaled));
  }
  std::vector<Value> arguments{Value(input), Value(wanted)};
  if (aligns) arguments.emplace_back(call.get<bool>(2));
  for (size_t d = 0; d < count; ++d) {
    arguments.push_back(scales ? Value((*scales)[d]) : Value());
  }
  const std::string name = call.form.name.substr(0, call.form.name.find('.'));
  call.give(0, Op(name.c_str()).call(arguments)[0].tensor());
}

}  // namespace tenon::kernels
