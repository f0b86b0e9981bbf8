// SPDX-License-Identifier: Apache-2.0
// Whether any or all of the folded elements are nonzero, for aten::any and aten::all. NaN is
// nonzero.
#pragma once

#include "kernels/common/families/fold_functor.h"

namespace tenon::kernels::ops {

template <class T, bool kAll>
struct Truth {
  using State = unsigned char;  // 0 or 1; loops over bools are not vectorized
  // The result for uint8 is uint8, which was used for truth values before bool existed.
  using Outs = OutTypes<std::conditional_t<std::is_same_v<T, uint8_t>, uint8_t, bool>>;
  static constexpr int kLanes = 1;

  TENON_FUNCTOR State start() const { return kAll; }
  TENON_FUNCTOR State step(State state, T element, int64_t) const {
    return merge(state, static_cast<State>(element != T(0)));
  }
  // Without branches, so that loops vectorize.
  TENON_FUNCTOR State merge(State a, State b) const {
    return static_cast<State>(kAll ? a & b : a | b);
  }
  // Tests whole blocks and stops after the first one that decides the result.
  TENON_FUNCTOR State run(const T* elements, int64_t count, int64_t) const {
    // A bool in imported memory may be any byte.
    using Element = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
    const auto* const in = reinterpret_cast<const Element*>(elements);
    using Word = std::conditional_t<sizeof(T) == 1, unsigned char, int64_t>;
    constexpr int64_t kBlock = 4096 / sizeof(Word);
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t end = count - i < kBlock ? count : i + kBlock;
      Word decided = 0;
      for (int64_t k = i; k < end; ++k) {
        decided = static_cast<Word>(decided | Word{(in[k] != Element(0)) == !kAll});
      }
      if (decided != 0) return !kAll;
    }
    return kAll;
  }
  TENON_FUNCTOR void finish(State state, int64_t i, char* const* outs) const {
    put(outs[0], i, static_cast<typename Outs::FirstType>(state));
  }
};

inline constexpr FoldFacts kTruthFold{.types = kBool | kNumbers | kWideUnsigned | kHalfComplex,
                                      .gives = FoldGives::Truth};
// An empty list of dims folds nothing, as in PyTorch for these two operators.
inline constexpr FoldFacts kTruthOfDimsFold{
    .types = kBool | kNumbers | kWideUnsigned | kHalfComplex,
    .gives = FoldGives::Truth,
    .folds_none_of_no_dims = true};

}  // namespace tenon::kernels::ops
