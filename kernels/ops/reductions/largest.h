// SPDX-License-Identifier: Apache-2.0
// The largest or smallest element and its index, for aten::argmax, max and min. The first of equal
// elements counts, and NaN counts as more extreme than any number.
#pragma once

#include "kernels/common/families/fold_functor.h"

namespace tenon::kernels::ops {

template <class T, bool kLargest>
struct Extreme {
  struct State {
    T value;
    int64_t index;  // -1 before the first element
  };
  static constexpr int kLanes = 1;
  static constexpr int kSide = 64;  // elements that are compared side by side

  TENON_FUNCTOR State start() const { return {T(0), -1}; }
  TENON_FUNCTOR State step(State state, T element, int64_t index) const {
    return beats(element, state) ? State{element, index} : state;
  }
  // Merges runs in any order: the elements of a GPU's threads are interleaved.
  TENON_FUNCTOR State merge(State a, State b) const {
    if (a.index < 0 || b.index < 0) return a.index < 0 ? b : a;
    const bool is_later = b.index > a.index;
    const State& first = is_later ? a : b;
    const State& later = is_later ? b : a;
    return beats(later.value, first) ? later : first;
  }
  // Finds the value first, then its index.
  TENON_FUNCTOR State run(const T* elements, int64_t count, int64_t index) const
      requires(!std::is_same_v<T, bool>) {
    if (count < kSide) {
      State state = start();
      for (int64_t i = 0; i < count; ++i) state = step(state, elements[i], index + i);
      return state;
    }
    T best[kSide], nan[kSide];
    for (int k = 0; k < kSide; ++k) best[k] = nan[k] = elements[k];
    int64_t i = kSide;
    for (; i + kSide <= count; i += kSide) side_by_side(elements + i, kSide, best, nan);
    side_by_side(elements + i, count - i, best, nan);
    T top = best[0], any_nan = nan[0];
    for (int k = 0; k < kSide; ++k) {
      top = is_better(best[k], top) ? best[k] : top;
      any_nan = nan[k] != nan[k] ? nan[k] : any_nan;
    }
    const int64_t at = any_nan != any_nan ? first(elements, count, [](T x) { return x != x; })
                                          : first(elements, count, [=](T x) { return x == top; });
    return {elements[at], index + at};
  }

 private:
  TENON_FUNCTOR static bool beats(T element, const State& state) {
    if (state.index < 0) return true;
    if (state.value != state.value) return false;  // the first NaN stays
    return is_better(element, state.value) || element != element;
  }
  TENON_FUNCTOR static bool is_better(T a, T b) { return kLargest ? a > b : a < b; }

  TENON_FUNCTOR static void side_by_side(const T* elements, int64_t count, T* best, T* nan) {
    for (int64_t k = 0; k < count; ++k) {
      best[k] = is_better(elements[k], best[k]) ? elements[k] : best[k];
      nan[k] = elements[k] != elements[k] ? elements[k] : nan[k];
    }
  }

  // Returns the index of the first element for which `is` returns true; it must exist.
  template <class Is>
  TENON_FUNCTOR static int64_t first(const T* elements, int64_t count, const Is& is) {
    int64_t i = 0;
    for (; i + kSide <= count; i += kSide) {
      int any = 0;
      for (int k = 0; k < kSide; ++k) any |= is(elements[i + k]) ? 1 : 0;
      if (any != 0) break;
    }
    while (i + 1 < count && !is(elements[i])) ++i;
    return i;
  }
};

// Writes both results.
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
