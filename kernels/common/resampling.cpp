// SPDX-License-Identifier: Apache-2.0
// Resampling: checks and results.
#include "kernels/common/resampling.h"

#include <string_view>

#include "kernels/common/overlap.h"

namespace tenon::kernels {
namespace {

void check_rank(const Call& call, const tenon_tensor_info& info, int slides) {
  check_defined(call.op(), call.form.names[0], info);
  if (info.ndim == slides + 1 || info.ndim == slides + 2) return;
  fail_argument(call.op(), call.form.names[0],
                "have " + std::to_string(slides + 1) + " dims, or " + std::to_string(slides + 2) +
                    " with a batch",
                sizes_of(info));
}

void check_elements(const Call& call, const char* name, Sizes sizes, int slides) {
  for (const int64_t size : sizes.last(static_cast<size_t>(slides) + 1)) {
    if (size == 0) fail_argument(call.op(), name, "have no empty dim other than its batch", sizes);
  }
}

void take_taps(Resampling& plan, std::vector<Taps> taps) {
  const int slides = static_cast<int>(taps.size());
  for (int d = 0; d < kMostSlides; ++d) {
    const int from = d - (kMostSlides - slides);
    plan.along[d] = from < 0 ? Taps::of_one() : std::move(taps[static_cast<size_t>(from)]);
  }
}

void make_result(const Call& call, Resampling& plan, Sizes sizes, bool keeps_format) {
  std::optional<Dims> strides;
  if (keeps_format) strides = channels_last_like(call.op(), plan.self, sizes);
  plan.result = result_for(call, sizes, dtype_of_info(plan.self), Device(plan.self.device),
                           strides ? strides->begin() : nullptr);
  if (!call.form.is_functional()) check_no_overlap(call.op(), plan.result.info(), plan.self);
}

}  // namespace

int slides_by_name(const Call& call) {
  const std::string_view name = call.facts().name;
  for (const char digit : {'1', '2', '3'}) {
    const char text[] = {digit, 'd', '\0'};
    if (name.find(text) != std::string_view::npos) return digit - '0';
  }
  fail(TENON_ERROR_INTERNAL, {call.op(), ": name must contain the number of dims"});
}

Resampling resampling_plan(const Call& call, int slides, TapsOf taps_of, bool keeps_format) {
  Resampling plan{};
  plan.self = call.get<Tensor>(0)->info();
  check_rank(call, plan.self, slides);
  const Sizes sizes = sizes_of(plan.self);
  check_elements(call, call.form.names[0], sizes, slides);
  take_taps(plan, taps_of(call, sizes.last(static_cast<size_t>(slides))));
  Dims wanted(sizes);
  plan.planes = 1;
  for (int32_t d = 0; d < plan.self.ndim; ++d) {
    const int at = kMostSlides - plan.self.ndim + d;
    if (d < plan.self.ndim - slides) {
      plan.planes *= sizes[static_cast<size_t>(d)];
    } else {
      wanted[d] = plan.along[at].out;
    }
  }
  make_result(call, plan, wanted, keeps_format);
  return plan;
}

Resampling resampling_gradient_plan(const Call& call, int slides, Sizes input, TapsOf taps_of) {
  Resampling plan{};
  plan.self = call.get<Tensor>(0)->info();
  check_rank(call, plan.self, slides);
  const Sizes sizes = sizes_of(plan.self);
  if (input.size() != sizes.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": the input must have as many dims as ",
                                        call.form.names[0], ", got sizes ", input, " for ", sizes});
  }
  check_elements(call, "the input", input, slides);
  take_taps(plan, taps_of(call, input.last(static_cast<size_t>(slides))));
  Dims wanted(input);
  plan.planes = 1;
  for (int32_t d = 0; d < plan.self.ndim; ++d) {
    const int at = kMostSlides - plan.self.ndim + d;
    if (d < plan.self.ndim - slides) {
      plan.planes *= input[static_cast<size_t>(d)];
    } else {
      wanted[d] = plan.along[at].out;
    }
  }
  if (!std::ranges::equal(Sizes(wanted), sizes)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": ", call.form.names[0], " must have sizes ",
                                        wanted, " for an input of ", input, ", got ", sizes});
  }
  make_result(call, plan, input, true);
  return plan;
}

void end_resampling(const Call& call, Resampling plan) {
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

}  // namespace tenon::kernels
