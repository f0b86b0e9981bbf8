// SPDX-License-Identifier: Apache-2.0
// Argument checks and taps of aten::reflection_pad2d, aten::replication_pad2d and similar
// operators.
#include "kernels/ops/padding/reflection_pad.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/maths/element.h"

namespace tenon::kernels {
namespace {

// Returns the taps of a line with `before` and `behind` elements added, or removed if negative.
Taps padded_line(const Call& call, int64_t size, int64_t before, int64_t behind, bool mirrored) {
  if (mirrored && (before >= size || behind >= size)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": padding must be less than the size of the mirrored dim, ", size, ", got ",
          before, " and ", behind});
  }
  const int64_t out = (CheckedSize(call.op(), size) + before + behind).value();
  // A mirror image has only elements of the dim: if a whole dim is removed, nothing remains to
  // mirror.
  if (out < 1 || (mirrored && (before <= -size || behind <= -size))) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": padding must leave at least 1 element of ",
                                        size, ", got ", before, " and ", behind});
  }
  const auto list = [size, before, mirrored](Taps& taps) {
    for (int64_t i = 0; i < taps.out; ++i) {
      int64_t at = before > -size ? i - before : size - 1;
      if (mirrored) {
        if (at < 0) at = -at;
        if (at >= size) at = 2 * (size - 1) - at;
      } else {
        at = std::clamp<int64_t>(at, 0, size - 1);
      }
      taps.add({at});
    }
  };
  return Taps::listed(size, out, list);
}

// Returns the taps of all dims. Padding is listed from the last dim on.
std::vector<Taps> padded(const Call& call, Sizes sizes, int argument, bool mirrored) {
  const auto padding = call.get<Sizes>(argument);
  if (padding.size() != 2 * sizes.size()) {
    fail_argument(call.op(), "padding", std::to_string(2 * sizes.size()) + " numbers", padding);
  }
  std::vector<Taps> all;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const size_t pair = 2 * (sizes.size() - 1 - d);
    all.push_back(padded_line(call, sizes[d], padding[pair], padding[pair + 1], mirrored));
  }
  return all;
}

template <int kArgument, bool kMirrored>
std::vector<Taps> padding_taps(const Call& call, Sizes sizes) {
  return padded(call, sizes, kArgument, kMirrored);
}

template <bool kMirrored>
Resampling pad_plan(const Call& call) {
  check_dtype(call.op(), "self", call.get<Tensor>(0)->dtype(), Joined<NumberTypes, BoolType>());
  return resampling_plan(call, slides_by_name(call), &padding_taps<1, kMirrored>);
}

template <bool kMirrored>
Resampling pad_gradient_plan(const Call& call) {
  check_dtype(call.op(), "grad_output", call.get<Tensor>(0)->dtype(), FloatAndComplexTypes());
  return resampling_gradient_plan(call, slides_by_name(call), call.get<Tensor>(1)->sizes(),
                                  &padding_taps<2, kMirrored>);
}

}  // namespace

Resampling reflection_pad_plan(const Call& call) { return pad_plan<true>(call); }
Resampling reflection_pad_gradient_plan(const Call& call) { return pad_gradient_plan<true>(call); }
Resampling replication_pad_plan(const Call& call) { return pad_plan<false>(call); }
Resampling replication_pad_gradient_plan(const Call& call) {
  return pad_gradient_plan<false>(call);
}

}  // namespace tenon::kernels
