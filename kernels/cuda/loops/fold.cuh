// SPDX-License-Identifier: Apache-2.0
// Generates the CUDA kernels of a fold functor (kernels/cpu/loops/fold_loops.h lists its members),
// one for each dtype of the operator's facts. A thread folds every n-th element; the states of
// threads and blocks are merged in no particular order.
#pragma once

#include "kernels/common/families/fold_functor.h"
#include "kernels/cuda/loops/elements.cuh"
#include "kernels/cuda/loops/fold.h"
#include "kernels/cuda/loops/launch.cuh"

namespace tenon::kernels::cuda {

// Writes the functor's result in the dtype of the output, which differs for small floats and for
// integers narrower than sums.
template <class Computed, class... T>
TENON_FUNCTOR inline void store_as(int32_t dtype, char* at, Computed made, ElementTypes<T...>) {
  if (dtype == dtype_of_element<Computed>) {
    *reinterpret_cast<Computed*>(at) = made;
  } else {
    ((dtype == dtype_of_element<T> ? (void)(*reinterpret_cast<T*>(at) = static_cast<T>(made))
                                   : (void)0),
     ...);
  }
}
template <class Computed>
TENON_FUNCTOR inline void store_result(int32_t dtype, char* at, Computed made) {
  if constexpr (std::is_same_v<Computed, float>) {
    store_as(dtype, at, made, ElementTypes<Half, BFloat16>());
  } else if constexpr (std::is_same_v<Computed, int64_t>) {
    store_as(dtype, at, made, ElementTypes<bool, uint8_t, int8_t, int16_t, int32_t>());
  } else {
    store_as(dtype, at, made, ElementTypes<>());
  }
}
// Returns true if store_result() supports the dtype.
template <class Computed>
bool can_store(int32_t dtype) {
  if (dtype == dtype_of_element<Computed>) return true;
  if (std::is_same_v<Computed, float>) return dtype == TENON_DTYPE_F16 || dtype == TENON_DTYPE_BF16;
  return std::is_same_v<Computed, int64_t> && has(kIntegers | kBool, dtype);
}

// T is the type of elements in memory.
template <class T, class F>
struct Fold {
  using State = typename F::State;
  using First = typename F::Outs::FirstType;
  using Second = typename F::Outs::SecondType;
  static constexpr int kMaxResults = 2;

  Steps<kMaxResults + 1> kept;
  Steps<1> folded;
  F functor;
  int results;
  int32_t dtypes[kMaxResults];
  int64_t parts;
  State* states;

  // Folds for one thread. Index i is part i / kept.numel() of result i % kept.numel().
  TENON_FUNCTOR State part(int64_t i, int thread, int threads) const {
    char* at[kMaxResults + 1];
    kept.locate(i % kept.numel(), at);
    const char* const in = results == 1 ? at[1] : at[2];
    const int64_t packs = (folded.numel() + parts * kPack<T> - 1) / (parts * kPack<T>);
    const int64_t length = packs * kPack<T>;
    const int64_t begin = i / kept.numel() * length;
    const int64_t end = begin + length < folded.numel() ? begin + length : folded.numel();
    if (!folded.is_line()) return strided_part(in, begin + thread, end, threads);
    const int64_t distance = folded.distance(0);
    using P = Pack<Stored<T, Compute<T>>, kPack<T>>;
    const bool has_packs =
        distance == sizeof(T) && threads > 1 && reinterpret_cast<uintptr_t>(in) % alignof(P) == 0;
    return has_packs ? packed_part<P>(in, begin, end, thread, threads)
                     : line_part(in, distance, begin + thread, end, threads);
  }
  TENON_FUNCTOR State merge(const State& a, const State& b) const { return functor.merge(a, b); }
  TENON_FUNCTOR void finish(int64_t i, const State& state) const {
    if (parts > 1) {
      states[i] = state;
    } else {
      give(i, state);
    }
  }
  TENON_FUNCTOR void operator()(int64_t i) const { finish(i, part(i, 0, 1)); }

  TENON_FUNCTOR void give(int64_t i, const State& state) const {
    alignas(kWidest) char made[kMaxResults][kWidest];
    char* const outs[] = {made[0], made[1]};
    functor.finish(state, 0, outs);
    char* at[kMaxResults + 1];
    kept.locate(i, at);
    store_result(dtypes[0], at[0], *reinterpret_cast<const First*>(made[0]));
    if constexpr (!std::is_void_v<Second>) {
      store_result(dtypes[1], at[1], *reinterpret_cast<const Second*>(made[1]));
    }
  }

 private:
  // Folds elements k, k + threads, ... below `end`, with any strides.
  TENON_FUNCTOR State strided_part(const char* in, int64_t k, int64_t end, int threads) const {
    State state = functor.start();
    for (; k < end; k += threads) {
      char* element[] = {const_cast<char*>(in)};
      folded.move(k, element);
      state = functor.step(state, load<T, Compute<T>>(element[0]), k);
    }
    return state;
  }
  // Like strided_part(), for elements at a constant distance. Several are loaded before the first
  // is folded, so that the loads overlap.
  TENON_FUNCTOR State line_part(const char* in, int64_t distance, int64_t k, int64_t end,
                                int threads) const {
    constexpr int kTogether = 4;
    State state = functor.start();
    for (; k + int64_t{kTogether - 1} * threads < end; k += int64_t{kTogether} * threads) {
      Compute<T> elements[kTogether];
      for (int j = 0; j < kTogether; ++j) {
        elements[j] = load<T, Compute<T>>(in + (k + int64_t{j} * threads) * distance);
      }
      for (int j = 0; j < kTogether; ++j) {
        state = functor.step(state, elements[j], k + int64_t{j} * threads);
      }
    }
    for (; k < end; k += threads) {
      state = functor.step(state, load<T, Compute<T>>(in + k * distance), k);
    }
    return state;
  }
  // Folds contiguous elements, a pack at a time.
  template <class P>
  TENON_FUNCTOR State packed_part(const char* in, int64_t begin, int64_t end, int thread,
                                  int threads) const {
    constexpr int64_t kCount = kPack<T>;
    State state = functor.start();
    int64_t k = begin + thread * kCount;
    for (; k + kCount <= end; k += threads * kCount) {
      const P pack = load_pack<P>(in + k * int64_t{sizeof(T)});
      for (int j = 0; j < kCount; ++j) {
        state = functor.step(state, from_stored<Compute<T>>(pack.at[j]), k + j);
      }
    }
    for (; k < end; ++k) {
      state = functor.step(state, load<T, Compute<T>>(in + k * int64_t{sizeof(T)}), k);
    }
    return state;
  }
};

// Merges the parts of each result.
template <class T, class F>
struct FoldJoin {
  using State = typename F::State;
  Fold<T, F> fold;

  TENON_FUNCTOR State part(int64_t i, int thread, int threads) const {
    State state = fold.functor.start();
    for (int64_t p = thread; p < fold.parts; p += threads) {
      state = fold.functor.merge(state, fold.states[p * fold.kept.numel() + i]);
    }
    return state;
  }
  TENON_FUNCTOR State merge(const State& a, const State& b) const {
    return fold.functor.merge(a, b);
  }
  TENON_FUNCTOR void finish(int64_t i, const State& state) const { fold.give(i, state); }
  TENON_FUNCTOR void operator()(int64_t i) const { finish(i, part(i, 0, 1)); }
};

inline constexpr int64_t kFewParts = 8;  // maximum number of parts that one thread merges

template <class T, class F>
void launch_fold(const FoldLaunch& fold, const Args& args) {
  using Body = Fold<T, F>;
  const F functor = made<F>(args, fold.folded.numel);
  bool fits = can_store<typename Body::First>(fold.dtypes[0]);
  if constexpr (!std::is_void_v<typename Body::Second>) {
    fits = fits && can_store<typename Body::Second>(fold.dtypes[1]);
  }
  if (!fits) refuse_dtype(fold.op, fold.dtypes[0]);
  const Body body{Steps<Body::kMaxResults + 1>(fold.kept),
                  Steps<1>(fold.folded),
                  functor,
                  fold.results,
                  {fold.dtypes[0], fold.dtypes[1]},
                  fold.parts,
                  reinterpret_cast<typename F::State*>(fold.states)};
  const int64_t count = fold.kept.numel * fold.parts;
  if (fold.by_thread) {
    launch_each(fold.op, body, count, fold.stream);
  } else {
    launch_blocks(fold.op, body, count, fold.stream);
  }
  if (fold.parts > 1) {
    const FoldJoin<T, F> join{body};
    if (fold.parts > kFewParts) {
      launch_blocks(fold.op, join, fold.kept.numel, fold.stream);
    } else {
      launch_each(fold.op, join, fold.kept.numel, fold.stream);
    }
  }
}

template <const Facts& kFacts, template <class> class F, class T>
constexpr void add_fold(FoldTable& table) {
  if constexpr (has(kFacts.fold.types, dtype_of_element<T>)) {
    using Functor = F<Compute<T>>;
    table.types[dtype_of_element<T>] = {sizeof(typename Functor::State), &launch_fold<T, Functor>};
  }
}

template <const Facts& kFacts, template <class> class F, class... T>
constexpr FoldTable fold_table_of(ElementTypes<T...>) {
  FoldTable table;
  (add_fold<kFacts, F, T>(table), ...);
  return table;
}
template <const Facts& kFacts, template <class> class F>
constexpr FoldTable fold_table() {
  return fold_table_of<kFacts, F>(AllTypes());
}

}  // namespace tenon::kernels::cuda
