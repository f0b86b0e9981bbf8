// SPDX-License-Identifier: Apache-2.0
// Whether any or all of the folded elements are other than 0, for aten::any and aten::all. NaN is.
#pragma once

#include "kernels/common/fold_functor.h"

namespace tenon::kernels::ops {

template <class T, bool kAll>
struct Truth {
  using State = bool;
  // Of uint8, which was the dtype of truth before bool was, the result is uint8.
  using Outs = OutTypes<std::conditional_t<std::is_same_v<T, uint8_t>, uint8_t, bool>>;
  static constexpr int kLanes = 1;

  TENON_FUNCTOR State start() const { return kAll; }
  TENON_FUNCTOR State step(State state, T element, int64_t) const {
    return merge(state, element != T(0));
  }
  TENON_FUNCTOR State merge(State a, State b) const { return kAll ? a && b : a || b; }
  // Blocks are looked at whole, so that loops vectorise; the first one that decides ends it.
  TENON_FUNCTOR State run(const T* elements, int64_t count, int64_t) const
      requires(!std::is_same_v<T, bool>) {
    constexpr int64_t kBlock = 256;
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t end = count - i < kBlock ? count : i + kBlock;
      int64_t decided = 0;
      for (int64_t k = i; k < end; ++k) decided |= (elements[k] != T(0)) == !kAll ? 1 : 0;
      if (decided != 0) return !kAll;
    }
    return kAll;
  }
  TENON_FUNCTOR void finish(State state, int64_t i, char* const* outs) const {
    put(outs[0], i, static_cast<typename Outs::FirstType>(state));
  }
};

inline constexpr FoldFacts kTruthFold{.types = kBool | kNumbers, .gives = FoldGives::Truth};
// An empty list of dims folds none, as PyTorch has it for these two.
inline constexpr FoldFacts kTruthOfDimsFold{
    .types = kBool | kNumbers, .gives = FoldGives::Truth, .folds_none_of_no_dims = true};

}  // namespace tenon::kernels::ops
