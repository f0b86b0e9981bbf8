// SPDX-License-Identifier: Apache-2.0
// aten::mean: the arithmetic mean of all elements or along dims; NaN if there are none.
#pragma once

#include "kernels/ops/reductions/sum.h"

namespace tenon::kernels::ops {

template <class T>
struct Mean : Sum<T> {
  double count;

  static Mean make(const Args&, int64_t folded) {
    Mean mean;
    mean.count = static_cast<double>(folded);
    return mean;
  }
  TENON_FUNCTOR void finish(WideSum<T> state, int64_t i, char* const* outs) const {
    if constexpr (is_complex_element<T>) {
      // Divides by parts: a complex quotient would turn infinity into NaN.
      put(outs[0], i, T(Complex128(state.re / count, state.im / count)));
    } else {
      put(outs[0], i, static_cast<T>(state / count));
    }
  }
};

inline constexpr FoldFacts kMeanFold{.types = kFloats | kComplex,
                                     .keeps_digits = true,
                                     .refusal = "floating or complex; dtype= says which"};

inline constexpr Facts kMean{
    .family = &kFold,
    .name = "mean",
    .params = "Tensor self, *, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .out = "dtype_out",
    .tags = "reduction",
    .gradient = "self: grad.expand(self.sizes()) / self.numel()",
    .tangent = "self_t.mean(dtype=dtype)",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = kMeanFold,
};

inline constexpr Facts kMeanDim{
    .family = &kFold,
    .name = "mean.dim",
    .params = "Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .tags = "core reduction",
    .gradient =
        "self: grad.reshape(folded_sizes(self.sizes(), dim)).expand(self.sizes()) / "
        "folded_numel(self.sizes(), dim)",
    .tangent = "self_t.mean(dim, keepdim, dtype=dtype)",
    .batching = Batching::Fold,
    .node_number = 1,
    .cast = Cast::None,
    .fold = kMeanFold,
};

}  // namespace tenon::kernels::ops
