// SPDX-License-Identifier: Apache-2.0
// Generates the CPU loops of a fold functor: along memory into one state, or across it into many at
// once; for each dtype and several instruction sets. Each operator's source includes this file, so
// it avoids C++ library headers. A functor is a template of one type T with these members:
//
//   State, kLanes
//   State start() const
//   State step(State, T element, int64_t index) const     index counts the folded elements
//   State merge(State, State) const                       of two runs, the first one first
//   void finish(const State&, int64_t i, char* const* outs) const   writes result i of each output
//   using Outs = OutTypes<...>                            the types of the outputs
//   make(const Args&, int64_t folded)                     static; only if it has members
//
// and optionally:
//
//   State run(const T* elements, int64_t count, int64_t index) const
//                                                         a faster loop over contiguous elements
//   bool join(const char* rows, int64_t stride, int64_t count, T* joined) const
//                                                         reduces kJoined rows to one with the same
//                                                         effect on a state; false: not possible
//   kShortRun                                             runs with fewer elements are faster when
//                                                         folded across, side by side
//   kReadsSmall                                           only with join(): the functor also folds
//                                                         packs of small_floats.h, by
//   State run_packs<Pack>(const char* elements, int64_t packs) const
//   bool join_packs<Pack>(const char* rows, int64_t stride, int64_t packs, float* joined) const
//
// If the order does not matter, kLanes states are computed side by side, so that steps do not wait
// for each other; 1 keeps the order.
#pragma once

#include "kernels/common/families/fold_functor.h"
#include "kernels/cpu/loops/pointwise_loops.h"

namespace tenon::kernels {
struct FoldKernel;
class Reduction;
}  // namespace tenon::kernels

namespace tenon::kernels::cpu {

// The loops of a functor for one dtype and instruction set. States are contiguous.
struct FoldLoops {
  // Folds runs of `count` elements, `stride` bytes apart, into one of `results` states each. Runs
  // start `next` bytes apart, and `index` is the index of the first element.
  void (*along)(const void* functor, const char* in, int64_t next, int64_t results, int64_t stride,
                int64_t count, int64_t index, void* states);
  // Folds rows of `count` contiguous elements, `stride` bytes apart, into `count` states.
  void (*across)(const void* functor, const char* in, int64_t stride, int64_t rows, int64_t count,
                 int64_t index, void* states);
};
struct FoldType {
  int state_size;
  int short_run;        // runs with fewer elements are faster when folded across
  tenon_dtype outs[2];  // dtypes that finish writes
  void (*make)(const Args& args, int64_t folded, void* functor);
  void (*start)(const void* functor, int64_t count, void* states);
  // Merges states of later elements into those of earlier ones.
  void (*merge)(const void* functor, int64_t count, void* states, const void* later);
  void (*finish)(const void* functor, const void* states, int64_t count, char* const* outs);
  FoldLoops levels[kVectorLevels];
  // Loops of floats that read contiguous small floats; NULL: these are converted by blocks.
  FoldLoops half[kVectorLevels];
  FoldLoops bfloat16[kVectorLevels];
};

void run_fold(const FoldKernel& kernel, Reduction& plan, const Call& call, tenon_dtype dtype);

// The CPU kernel of a fold. `run` must be the first member, as in FoldKernel.
struct FoldTable {
  void (*run)(const FoldKernel& kernel, Reduction& plan, const Call& call,
              tenon_dtype dtype) = &run_fold;
  FoldType types[kComputed] = {};
};

// Number of elements that are folded into a separate state before it is merged. Rounding errors
// grow with the number of runs plus the length of one, not with their product.
inline constexpr int64_t kRun = 4096;

template <class T, class F>
struct Fold {
  using State = typename F::State;

  template <bool kDense>
  [[gnu::always_inline]] static inline State lanes(const F& f, const char* in, int64_t given,
                                                   int64_t count, int64_t index) {
    const int64_t stride = kDense ? sizeof(T) : given;
    State state = f.start();
    int64_t i = 0;
    if constexpr (F::kLanes > 1) {
      constexpr int kLanes = F::kLanes;
      if (count >= kLanes) {
        State side[kLanes];
        for (int k = 0; k < kLanes; ++k) side[k] = f.start();
        for (; i + kLanes <= count; i += kLanes) {
          for (int k = 0; k < kLanes; ++k) {
            side[k] = f.step(side[k], element_at<T>(in + (i + k) * stride, 0), index + i + k);
          }
        }
        state = merged<kLanes / 2>(f, side);
      }
    }
    for (; i < count; ++i) state = f.step(state, element_at<T>(in + i * stride, 0), index + i);
    return state;
  }

  // Merges kWidth lanes with the other kWidth lanes, recursively.
  template <int kWidth>
  [[gnu::always_inline]] static inline State merged(const F& f, State* side) {
    if constexpr (kWidth == 0) {
      return side[0];
    } else {
      for (int k = 0; k < kWidth; ++k) side[k] = f.merge(side[k], side[k + kWidth]);
      return merged<kWidth / 2>(f, side);
    }
  }

  template <bool kDense>
  [[gnu::always_inline]] static inline State run(const F& f, const char* in, int64_t stride,
                                                 int64_t count, int64_t index) {
    if constexpr (kDense && requires(const T* elements) { f.run(elements, count, index); }) {
      return f.run(reinterpret_cast<const T*>(in), count, index);
    } else {
      return lanes<kDense>(f, in, stride, count, index);
    }
  }

  // Contiguous and strided runs have separate loops: a common loop would pay for strides at each
  // result.
  [[gnu::always_inline]] static inline void along(const void* functor, const char* in, int64_t next,
                                                  int64_t results, int64_t stride, int64_t count,
                                                  int64_t index, void* states) {
    if (stride == sizeof(T)) {
      along<true>(functor, in, next, results, stride, count, index, states);
    } else {
      along<false>(functor, in, next, results, stride, count, index, states);
    }
  }

  template <bool kDense>
  [[gnu::always_inline]] static inline void along(const void* functor, const char* in, int64_t next,
                                                  int64_t results, int64_t stride, int64_t count,
                                                  int64_t index, void* states) {
    const F f = *static_cast<const F*>(functor);
    State* const state = static_cast<State*>(states);
    for (int64_t k = 0; k < results; ++k, in += next) {
      for (int64_t i = 0; i < count; i += kRun) {
        const int64_t length = count - i < kRun ? count - i : kRun;
        state[k] = f.merge(state[k], run<kDense>(f, in + i * stride, stride, length, index + i));
      }
    }
  }

  // Joins kJoined rows if possible, otherwise processes four rows per pass, so that states are read
  // and written once for four elements.
  [[gnu::always_inline]] static inline void across(const void* functor, const char* in,
                                                   int64_t stride, int64_t rows, int64_t count,
                                                   int64_t index, void* states) {
    const F f = *static_cast<const F*>(functor);
    State* const state = static_cast<State*>(states);
    int64_t row = 0;
    if constexpr (requires(T * joined) { f.join(in, stride, count, joined); }) {
      T joined[kWidth];
      for (; row + F::kJoined <= rows; row += F::kJoined, in += F::kJoined * stride) {
        for (int64_t at = 0; at < count; at += kWidth) {
          const int64_t width = count - at < kWidth ? count - at : kWidth;
          const char* const from = in + at * int64_t{sizeof(T)};
          if (f.join(from, stride, width, joined)) {
            one_row(f, reinterpret_cast<const char*>(joined), width, index + row, state + at);
          } else {
            some_rows(f, from, stride, F::kJoined, width, index + row, state + at);
          }
        }
      }
    }
    some_rows(f, in, stride, rows - row, count, index + row, state);
  }

 private:
  static constexpr int64_t kWidth = 256;

  [[gnu::always_inline]] static inline void some_rows(const F& f, const char* in, int64_t stride,
                                                      int64_t rows, int64_t count, int64_t index,
                                                      State* state) {
    int64_t row = 0;
    for (; row + 4 <= rows; row += 4, in += 4 * stride) {
      const char* const b = in + stride;
      const char* const c = b + stride;
      const char* const d = c + stride;
      TENON_INDEPENDENT
      for (int64_t k = 0; k < count; ++k) {
        State s = f.step(state[k], element_at<T>(in, k), index + row);
        s = f.step(s, element_at<T>(b, k), index + row + 1);
        s = f.step(s, element_at<T>(c, k), index + row + 2);
        state[k] = f.step(s, element_at<T>(d, k), index + row + 3);
      }
    }
    for (; row < rows; ++row, in += stride) one_row(f, in, count, index + row, state);
  }

  [[gnu::always_inline]] static inline void one_row(const F& f, const char* in, int64_t count,
                                                    int64_t index, State* state) {
    TENON_INDEPENDENT
    for (int64_t k = 0; k < count; ++k) state[k] = f.step(state[k], element_at<T>(in, k), index);
  }
};

// A fold in float over small floats, which Pack reads.
template <class Pack, class F>
struct SmallFold {
  using State = typename F::State;
  static constexpr int64_t kSize = Pack::kSize;

  [[gnu::always_inline]] static inline void along(const void* functor, const char* in, int64_t next,
                                                  int64_t results, int64_t, int64_t count,
                                                  int64_t index, void* states) {
    const F f = *static_cast<const F*>(functor);
    State* const state = static_cast<State*>(states);
    for (int64_t k = 0; k < results; ++k, in += next) {
      for (int64_t i = 0; i < count; i += kRun) {
        const int64_t length = count - i < kRun ? count - i : kRun;
        state[k] = f.merge(state[k], run(f, in + 2 * i, length, index + i));
      }
    }
  }

  [[gnu::always_inline]] static inline void across(const void* functor, const char* in,
                                                   int64_t stride, int64_t rows, int64_t count,
                                                   int64_t index, void* states) {
    const F f = *static_cast<const F*>(functor);
    State* const state = static_cast<State*>(states);
    constexpr int64_t kJoined = F::kJoined;
    for (int64_t row = 0; row < rows; row += kJoined, in += kJoined * stride) {
      const int64_t together = rows - row < kJoined ? rows - row : kJoined;
      for (int64_t at = 0; at < count; at += kWidth) {
        const int64_t width = count - at < kWidth ? count - at : kWidth;
        const char* const from = in + 2 * at;
        float joined[kWidth];
        if (together == kJoined && join(f, from, stride, width, joined)) {
          one_row(f, joined, width, index + row, state + at);
        } else {
          some_rows(f, from, stride, together, width, index + row, state + at);
        }
      }
    }
  }

 private:
  using InOrder = typename Pack::InOrder;
  static constexpr int64_t kWidth = 256;

  [[gnu::always_inline]] static inline State run(const F& f, const char* in, int64_t count,
                                                 int64_t index) {
    const int64_t packs = count / kSize;
    State state = f.template run_packs<Pack>(in, packs);
    const int64_t done = packs * kSize;
    if (done == count) return state;
    float rest[kSize];
    read(in + 2 * done, count - done, rest);
    for (int64_t k = 0; k < count - done; ++k) state = f.step(state, rest[k], index + done + k);
    return state;
  }

  // Joins kJoined rows to one if possible; returns false otherwise.
  [[gnu::always_inline]] static inline bool join(const F& f, const char* in, int64_t stride,
                                                 int64_t count, float* joined) {
    const int64_t packs = count / InOrder::kSize;
    const int64_t whole = packs * InOrder::kSize;
    const bool is_joined = f.template join_packs<InOrder>(in, stride, packs, joined);
    if (whole == count) return is_joined;
    char last[F::kJoined][2 * InOrder::kSize] = {};
    for (int64_t k = 0; k < F::kJoined; ++k) {
      const auto bytes = static_cast<size_t>(2 * (count - whole));
      __builtin_memcpy(last[k], in + k * stride + 2 * whole, bytes);
    }
    float rest[InOrder::kSize];
    const bool is_rest_joined = f.template join_packs<InOrder>(last[0], sizeof last[0], 1, rest);
    for (int64_t k = whole; k < count; ++k) joined[k] = rest[k - whole];
    return is_joined && is_rest_joined;
  }

  [[gnu::always_inline]] static inline void some_rows(const F& f, const char* in, int64_t stride,
                                                      int64_t rows, int64_t count, int64_t index,
                                                      State* state) {
    float elements[kWidth];
    for (int64_t row = 0; row < rows; ++row, in += stride) {
      read(in, count, elements);
      one_row(f, elements, count, index + row, state);
    }
  }

  [[gnu::always_inline]] static inline void one_row(const F& f, const float* elements,
                                                    int64_t count, int64_t index, State* state) {
    TENON_INDEPENDENT
    for (int64_t k = 0; k < count; ++k) state[k] = f.step(state[k], elements[k], index);
  }

  // Reads elements as floats, in order.
  [[gnu::always_inline]] static inline void read(const char* in, int64_t count, float* elements) {
    constexpr int64_t kPack = InOrder::kSize;
    int64_t i = 0;
    for (; i + kPack <= count; i += kPack) InOrder::load(in + 2 * i, elements + i);
    if (i == count) return;
    float rest[kPack];
    InOrder::load(Padded<InOrder>(in + 2 * i, count - i).bytes, rest);
    for (int64_t k = 0; i + k < count; ++k) elements[i + k] = rest[k];
  }
};

template <class T, class F>
struct FoldLevels {
  using State = typename F::State;

  static void along(const void* functor, const char* in, int64_t next, int64_t results,
                    int64_t stride, int64_t count, int64_t index, void* states) {
    Fold<T, F>::along(functor, in, next, results, stride, count, index, states);
  }
  static void across(const void* functor, const char* in, int64_t stride, int64_t rows,
                     int64_t count, int64_t index, void* states) {
    Fold<T, F>::across(functor, in, stride, rows, count, index, states);
  }
#if defined(TENON_AVX2)
  TENON_AVX2 static void along_avx2(const void* functor, const char* in, int64_t next,
                                    int64_t results, int64_t stride, int64_t count, int64_t index,
                                    void* states) {
    Fold<T, F>::along(functor, in, next, results, stride, count, index, states);
  }
  TENON_AVX2 static void across_avx2(const void* functor, const char* in, int64_t stride,
                                     int64_t rows, int64_t count, int64_t index, void* states) {
    Fold<T, F>::across(functor, in, stride, rows, count, index, states);
  }
  TENON_AVX512 static void along_avx512(const void* functor, const char* in, int64_t next,
                                        int64_t results, int64_t stride, int64_t count,
                                        int64_t index, void* states) {
    Fold<T, F>::along(functor, in, next, results, stride, count, index, states);
  }
  TENON_AVX512 static void across_avx512(const void* functor, const char* in, int64_t stride,
                                         int64_t rows, int64_t count, int64_t index, void* states) {
    Fold<T, F>::across(functor, in, stride, rows, count, index, states);
  }
  template <class Pack>
  TENON_AVX2 static void small_along_avx2(const void* functor, const char* in, int64_t next,
                                          int64_t results, int64_t stride, int64_t count,
                                          int64_t index, void* states) {
    SmallFold<Pack, F>::along(functor, in, next, results, stride, count, index, states);
  }
  template <class Pack>
  TENON_AVX2 static void small_across_avx2(const void* functor, const char* in, int64_t stride,
                                           int64_t rows, int64_t count, int64_t index,
                                           void* states) {
    SmallFold<Pack, F>::across(functor, in, stride, rows, count, index, states);
  }
  template <class Pack>
  TENON_AVX512 static void small_along_avx512(const void* functor, const char* in, int64_t next,
                                              int64_t results, int64_t stride, int64_t count,
                                              int64_t index, void* states) {
    SmallFold<Pack, F>::along(functor, in, next, results, stride, count, index, states);
  }
  template <class Pack>
  TENON_AVX512 static void small_across_avx512(const void* functor, const char* in, int64_t stride,
                                               int64_t rows, int64_t count, int64_t index,
                                               void* states) {
    SmallFold<Pack, F>::across(functor, in, stride, rows, count, index, states);
  }
#endif
  static void make(const Args& args, int64_t folded, void* functor) {
    static_assert(sizeof(F) <= kMaxFunctor);
    if constexpr (requires { F::make(args, folded); }) {
      *static_cast<F*>(functor) = F::make(args, folded);
    }
  }
  static void start(const void* functor, int64_t count, void* states) {
    const F f = *static_cast<const F*>(functor);
    for (int64_t k = 0; k < count; ++k) static_cast<State*>(states)[k] = f.start();
  }
  static void merge(const void* functor, int64_t count, void* states, const void* later) {
    const F f = *static_cast<const F*>(functor);
    State* const state = static_cast<State*>(states);
    for (int64_t k = 0; k < count; ++k) {
      state[k] = f.merge(state[k], static_cast<const State*>(later)[k]);
    }
  }
  static void finish(const void* functor, const void* states, int64_t count, char* const* outs) {
    const F f = *static_cast<const F*>(functor);
    for (int64_t k = 0; k < count; ++k) f.finish(static_cast<const State*>(states)[k], k, outs);
  }
  static constexpr FoldType table() {
    FoldType type = {sizeof(State),
                     64,
                     {F::Outs::first, F::Outs::second},
                     &make,
                     &start,
                     &merge,
                     &finish,
                     {},
                     {},
                     {}};
    if constexpr (requires { F::kShortRun; }) type.short_run = F::kShortRun;
    type.levels[0] = {&along, &across};
#if defined(TENON_AVX2)
    type.levels[1] = {&along_avx2, &across_avx2};
    // Integers gain nothing from wider vectors.
    constexpr bool kWider = !std::is_integral_v<T>;
    type.levels[2] = kWider ? FoldLoops{&along_avx512, &across_avx512} : type.levels[1];
    if constexpr (requires { F::kReadsSmall; } && std::is_same_v<T, float>) {
      type.half[1] = {&small_along_avx2<HalfPackAvx2>, &small_across_avx2<HalfPackAvx2>};
      type.half[2] = {&small_along_avx512<HalfPackAvx512>, &small_across_avx512<HalfPackAvx512>};
      type.bfloat16[1] = {&small_along_avx2<BFloat16Pack<8>>, &small_across_avx2<BFloat16Pack<8>>};
      type.bfloat16[2] = {&small_along_avx512<BFloat16Pack<16>>,
                          &small_across_avx512<BFloat16Pack<16>>};
    }
#endif
    return type;
  }
};

template <const Facts& kFacts, template <class> class F, class T, tenon_dtype kDtype>
constexpr void add_fold(FoldTable& table) {
  if constexpr (has(computed_types(kFacts.fold.types, Reads::Numbers), kDtype)) {
    table.types[computed_index(kDtype)] = FoldLevels<T, F<T>>::table();
  }
}

template <const Facts& kFacts, template <class> class F>
constexpr FoldTable fold_table() {
  FoldTable table;
  add_fold<kFacts, F, bool, TENON_DTYPE_BOOL>(table);
  add_fold<kFacts, F, uint8_t, TENON_DTYPE_U8>(table);
  add_fold<kFacts, F, int8_t, TENON_DTYPE_I8>(table);
  add_fold<kFacts, F, int16_t, TENON_DTYPE_I16>(table);
  add_fold<kFacts, F, int32_t, TENON_DTYPE_I32>(table);
  add_fold<kFacts, F, int64_t, TENON_DTYPE_I64>(table);
  add_fold<kFacts, F, float, TENON_DTYPE_F32>(table);
  add_fold<kFacts, F, double, TENON_DTYPE_F64>(table);
  add_fold<kFacts, F, Complex64, TENON_DTYPE_C64>(table);
  add_fold<kFacts, F, Complex128, TENON_DTYPE_C128>(table);
  return table;
}

}  // namespace tenon::kernels::cpu
