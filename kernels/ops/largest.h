// SPDX-License-Identifier: Apache-2.0
// The largest or smallest element and its index, for aten::argmax, max and min. The first of equal
// ones counts, and NaN more than any number.
#pragma once

#include "kernels/common/fold_functor.h"

namespace tenon::kernels::ops {

template <class T, bool kLargest>
struct Extreme {
  struct State {
    T value;
    int64_t index;  // -1 before the first element
  };
  static constexpr int kLanes = 1;

  TENON_FUNCTOR State start() const { return {T(0), -1}; }
  TENON_FUNCTOR State step(State state, T element, int64_t index) const {
    return beats(element, state) ? State{element, index} : state;
  }
  TENON_FUNCTOR State merge(State a, State b) const {
    return b.index >= 0 && beats(b.value, a) ? b : a;
  }

 private:
  TENON_FUNCTOR static bool beats(T element, const State& state) {
    if (state.index < 0) return true;
    if (state.value != state.value) return false;  // the first NaN stays
    return (kLargest ? element > state.value : element < state.value) || element != element;
  }
};

// Both results.
template <class T, bool kLargest>
struct ExtremeDim : Extreme<T, kLargest> {
  using Outs = OutTypes<T, int64_t>;
  TENON_FUNCTOR void finish(typename Extreme<T, kLargest>::State state, int64_t i,
                            char* const* outs) const {
    put(outs[0], i, state.value);
    put(outs[1], i, state.index);
  }
};

inline constexpr FoldFacts kExtremeFold{.types = kReals | kBool,
                                        .gives = FoldGives::ValueAndIndex,
                                        .needs_elements = true,
                                        .in_order = true};

}  // namespace tenon::kernels::ops
