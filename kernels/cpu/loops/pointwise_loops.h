// SPDX-License-Identifier: Apache-2.0
// Generates the CPU loops of a functor: one for each dtype that it computes in, each for several
// instruction sets. Each operator's source includes this file, so it avoids C++ library headers,
// which would take most of the compile time.
//
// Loops process contiguous elements. Operands with gaps, of another dtype or with a single element
// are converted to blocks by the driver (pointwise.cpp), so that a functor needs only one loop.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/families/results.h"
#include "kernels/common/maths/complex.h"
#include "kernels/common/maths/maths.h"
#include "kernels/cpu/loops/independent.h"
#include "kernels/cpu/loops/small_floats.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels {
struct PointwiseKernel;
class Elementwise;
}  // namespace tenon::kernels

namespace tenon::kernels::cpu {

// data[] are the outputs, then the inputs, each with `count` elements.
using PointwiseLoop = void (*)(char* const* data, int64_t count, const void* functor);

// The loops of one instruction set.
struct PointwiseLevel {
  PointwiseLoop loop;
  // Like `loop`, but the second of two inputs is a single element. NULL: it must be repeated.
  PointwiseLoop single;
  // Loops of floats with float16 or bfloat16 inputs and results; NULL: these are converted by
  // blocks.
  PointwiseLoop half;
  PointwiseLoop bfloat16;
};

// The loops of a functor for one dtype. `make` constructs the functor from the arguments in the
// memory that the loops read it from; NULL if the functor has no members.
struct PointwiseLoops {
  void (*make)(const Args& args, void* functor);
  PointwiseLevel levels[kVectorLevels];
};
inline constexpr int64_t kMaxFunctor = 64;  // bytes

// The dtypes that have loops: small floats are computed as float, wide unsigned integers as int64,
// complex32 as complex64, and elements that are only moved are treated as integers of their size.
inline constexpr int kComputed = 11;
constexpr tenon_dtype computed_dtype(tenon_dtype dtype, Reads reads) {
  const bool moves = reads == Reads::Nothing;
  switch (dtype) {
    case TENON_DTYPE_F16:
    case TENON_DTYPE_BF16:
      if (reads == Reads::Signs) return dtype;
      return moves ? TENON_DTYPE_I16 : TENON_DTYPE_F32;
    case TENON_DTYPE_F8_E5M2:
    case TENON_DTYPE_F8_E4M3FN:
      return moves ? TENON_DTYPE_U8 : TENON_DTYPE_F32;
    case TENON_DTYPE_BOOL:
    case TENON_DTYPE_I8:
      return moves ? TENON_DTYPE_U8 : dtype;
    case TENON_DTYPE_F32:
      return moves ? TENON_DTYPE_I32 : dtype;
    case TENON_DTYPE_U16:
      return moves ? TENON_DTYPE_I16 : TENON_DTYPE_I64;
    case TENON_DTYPE_U32:
      return moves ? TENON_DTYPE_I32 : TENON_DTYPE_I64;
    case TENON_DTYPE_U64:
      return TENON_DTYPE_I64;
    case TENON_DTYPE_C32:
      return moves ? TENON_DTYPE_I32 : TENON_DTYPE_C64;
    case TENON_DTYPE_F64:
    case TENON_DTYPE_C64:
      return moves ? TENON_DTYPE_I64 : dtype;
    default:
      return dtype;
  }
}
constexpr int computed_index(tenon_dtype dtype) {
  switch (dtype) {
    case TENON_DTYPE_BOOL:
      return 0;
    case TENON_DTYPE_U8:
    case TENON_DTYPE_I8:
    case TENON_DTYPE_I16:
    case TENON_DTYPE_I32:
    case TENON_DTYPE_I64:
      return dtype - TENON_DTYPE_U8 + 1;
    case TENON_DTYPE_F32:
      return 6;
    case TENON_DTYPE_F64:
      return 7;
    case TENON_DTYPE_C64:
      return 8;
    case TENON_DTYPE_C128:
      return 9;
    case TENON_DTYPE_F16:
    case TENON_DTYPE_BF16:
      return 10;
    default:
      return -1;
  }
}

// Index of the loops for each dtype and each use of elements (Reads).
struct ComputedIndices {
  int8_t of[3][32];
};
constexpr ComputedIndices computed_indices() {
  ComputedIndices indices{};
  for (int reads = 0; reads < 3; ++reads) {
    for (tenon_dtype d = 0; d < 32; ++d) {
      const tenon_dtype computed = computed_dtype(d, static_cast<Reads>(reads));
      indices.of[reads][d] = static_cast<int8_t>(computed_index(computed));
    }
  }
  return indices;
}
inline constexpr ComputedIndices kComputedIndices = computed_indices();

void run_pointwise(const PointwiseKernel& kernel, Elementwise& plan, const Call& call, int variant);
void run_flat(const PointwiseKernel& kernel, const Call& call, int variant, tenon_dtype dtype,
              char* const* data, int64_t numel);

// The CPU kernel of a pointwise operator. Its first members are those of PointwiseKernel.
template <int kVariants>
struct PointwiseTable {
  void (*run)(const PointwiseKernel& kernel, Elementwise& plan, const Call& call,
              int variant) = &run_pointwise;
  void (*flat_run)(const PointwiseKernel& kernel, const Call& call, int variant, tenon_dtype dtype,
                   char* const* data, int64_t numel) = &run_flat;
  DtypeSet flat = kBool | kIntegers | kComplex | dtypes(TENON_DTYPE_F32, TENON_DTYPE_F64);
  PointwiseLoops loops[kVariants][kComputed] = {};
};

// Reads element i. A bool in imported memory may be any byte.
template <class T>
[[gnu::always_inline]] inline T element_at(const char* data, int64_t i) {
  if constexpr (std::is_same_v<T, bool>) {
    return reinterpret_cast<const unsigned char*>(data)[i] != 0;
  } else {
    return reinterpret_cast<const T*>(data)[i];
  }
}

// Writes a functor's results element by element; they are the first operands.
template <class R>
struct Outs {
  static constexpr int kCount = 1;
  R* at;
  [[gnu::always_inline]] explicit Outs(char* const* data) : at(reinterpret_cast<R*>(data[0])) {}
  [[gnu::always_inline]] void put(int64_t i, const R& result) const { at[i] = result; }
};
template <class R>
struct Outs<Results<R>> : Outs<R> {
  using Outs<R>::Outs;
  [[gnu::always_inline]] void put(int64_t i, const Results<R>& results) const {
    Outs<R>::put(i, results.first);
  }
};
template <class First, class... Rest>
struct Outs<Results<First, Rest...>> {
  static constexpr int kCount = 1 + sizeof...(Rest);
  Outs<First> first;
  Outs<Results<Rest...>> rest;
  [[gnu::always_inline]] explicit Outs(char* const* data) : first(data), rest(data + 1) {}
  [[gnu::always_inline]] void put(int64_t i, const Results<First, Rest...>& results) const {
    first.put(i, results.first);
    rest.put(i, results.rest);
  }
};

template <int...>
struct Integers {};
template <int kCount, int... kRest>
struct CountedOf : CountedOf<kCount - 1, kCount - 1, kRest...> {};
template <int... kRest>
struct CountedOf<0, kRest...> {
  using type = Integers<kRest...>;
};
template <int kCount>
using Counted = typename CountedOf<kCount>::type;

// The number and types of inputs and results, taken from a functor's call operator.
template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class F, class R, class... A>
struct Signature<R (F::*)(A...) const> {
  using Result = R;
  static_assert(sizeof...(A) + Outs<R>::kCount <= kMaxOperands, "functors have 8 operands at most");

  [[gnu::always_inline]] static inline void loop(char* const* data, int64_t count,
                                                 const void* functor) {
    run(data, count, *static_cast<const F*>(functor), Counted<sizeof...(A)>());
  }

  // Runs the functor on small floats, which Pack reads and writes.
  template <class Pack>
  [[gnu::always_inline]] static inline void small(char* const* data, int64_t count,
                                                  const void* functor) {
    by_inputs<Pack>(data, count, *static_cast<const F*>(functor), Counted<sizeof...(A)>());
  }

  // Runs the functor with a single element as the second of two inputs.
  [[gnu::always_inline]] static inline void single(char* const* data, int64_t count,
                                                   const void* functor) {
    run_single<A...>(data, count, *static_cast<const F*>(functor));
  }

 private:
  template <class>
  using Bytes = const char*;

  template <int... k>
  [[gnu::always_inline]] static inline void run(char* const* data, int64_t count, const F f,
                                                Integers<k...>) {
    if constexpr (requires(A... x) { f.near(x...); }) {
      in_parts<A...>(reinterpret_cast<R*>(data[0]), data[1], count, f);
    } else {
      over(Outs<R>(data), count, f, data[Outs<R>::kCount + k]...);
    }
  }
  [[gnu::always_inline]] static inline void over(const Outs<R> outs, int64_t count, const F f,
                                                 Bytes<A>... inputs) {
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) outs.put(i, f(element_at<A>(inputs, i)...));
  }

  template <class Pack, int... k>
  [[gnu::always_inline]] static inline void by_inputs(char* const* data, int64_t count, const F f,
                                                      Integers<k...>) {
    over_small<Pack>(data[0], count, f, data[1 + k]...);
  }
  // The elements after the last whole pack are padded to one.
  template <class Pack>
  [[gnu::always_inline]] static inline void over_small(char* out, int64_t count, const F f,
                                                       Bytes<A>... inputs) {
    constexpr int64_t kBytes = 2 * Pack::kSize;
    const int64_t packs = count / Pack::kSize;
    TENON_INDEPENDENT
    for (int64_t i = 0; i < packs; ++i) {
      over_pack<Pack>(out + i * kBytes, f, Floats<Pack, A>(inputs + i * kBytes)...);
    }
    const int64_t rest = count - packs * Pack::kSize;
    if (rest == 0) return;
    const int64_t done = packs * kBytes;
    char last[kBytes];
    over_pack<Pack>(last, f, Floats<Pack, A>(Padded<Pack>(inputs + done, rest).bytes)...);
    __builtin_memcpy(out + done, last, static_cast<size_t>(2 * rest));
  }
  template <class Pack, class Float>
  struct Floats {
    Float at[Pack::kSize];
    [[gnu::always_inline]] explicit Floats(const char* from) { Pack::load(from, at); }
  };
  template <class Pack>
  [[gnu::always_inline]] static inline void over_pack(char* out, const F f,
                                                      const Floats<Pack, A>&... inputs) {
    R results[Pack::kSize];
    for (int64_t i = 0; i < Pack::kSize; ++i) results[i] = f(inputs.at[i]...);
    Pack::store(out, results);
  }

  template <class First, class Second>
  [[gnu::always_inline]] static inline void run_single(char* const* data, int64_t count,
                                                       const F f) {
    const Outs<R> outs(data);
    const char* const first = data[1];
    const Second second = element_at<Second>(data[2], 0);
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) outs.put(i, f(element_at<First>(first, i), second));
  }

  // Splits the elements into parts. A functor with a slower path for a few elements has near() for
  // all others, and one test decides for a whole part whether the sign bit of far() is set for any
  // of its elements.
  static constexpr int64_t kGuarded = 256;
  template <class T>
  [[gnu::always_inline]] static inline void in_parts(R* out, const char* in, int64_t count,
                                                     const F f) {
    for (int64_t i = 0; i < count; i += kGuarded) {
      const int64_t length = count - i < kGuarded ? count - i : kGuarded;
      guarded(out + i, reinterpret_cast<const T*>(in) + i, length, f);
    }
  }
  template <class T>
  [[gnu::always_inline]] static inline void guarded(R* out, const T* in, int64_t count, const F f) {
    using Bits = decltype(F::far(T()));
    constexpr int kSign = 8 * sizeof(T) - 1;
    Bits far = 0;
    for (int64_t i = 0; i < count; ++i) far |= F::far(in[i]);
    const bool any_far = far >> kSign != 0;
    T kept[kGuarded];  // out may be the same memory as in
    if (any_far) {
      for (int64_t i = 0; i < count; ++i) kept[i] = in[i];
      in = kept;
    }
    // A single loop for both cases: two loops might differ in contracting products and sums to
    // FMAs, and so in rounding.
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = f.near(in[i]);
    if (any_far) {
      for (int64_t i = 0; i < count; ++i) {
        if (F::far(in[i]) >> kSign != 0) out[i] = f(in[i]);
      }
    }
  }
};

template <class F>
using ResultOf = typename Signature<F>::Result;

// A functor with kSingles is often called with a single element as its second input, and it is so
// fast that repeating the element or converting small floats would take longer than computing. It
// therefore has separate loops for single elements and for small floats.
template <class F>
struct Levels {
  static void base(char* const* data, int64_t count, const void* functor) {
    Signature<F>::loop(data, count, functor);
  }
#if defined(TENON_AVX2)
  TENON_AVX2 static void avx2(char* const* data, int64_t count, const void* functor) {
    Signature<F>::loop(data, count, functor);
  }
  TENON_AVX512 static void avx512(char* const* data, int64_t count, const void* functor) {
    Signature<F>::loop(data, count, functor);
  }
  TENON_AVX2 static void single_avx2(char* const* data, int64_t count, const void* functor) {
    Signature<F>::single(data, count, functor);
  }
  TENON_AVX512 static void single_avx512(char* const* data, int64_t count, const void* functor) {
    Signature<F>::single(data, count, functor);
  }
  template <class Pack>
  TENON_AVX2 static void small_avx2(char* const* data, int64_t count, const void* functor) {
    Signature<F>::template small<Pack>(data, count, functor);
  }
  template <class Pack>
  TENON_AVX512 static void small_avx512(char* const* data, int64_t count, const void* functor) {
    Signature<F>::template small<Pack>(data, count, functor);
  }
#endif
  static void make(const Args& args, void* functor) {
    static_assert(sizeof(F) <= kMaxFunctor);
    if constexpr (requires { F::make(args); }) *static_cast<F*>(functor) = F::make(args);
  }
  static constexpr PointwiseLoops table() {
    constexpr bool kMakes = requires(const Args& args) { F::make(args); };
    PointwiseLoops loops{kMakes ? &make : nullptr, {{&base, nullptr, nullptr, nullptr}}};
#if defined(TENON_AVX2)
    loops.levels[1].loop = &avx2;
    loops.levels[2].loop = &avx512;
    if constexpr (requires { F::kSingles; } && std::is_floating_point_v<ResultOf<F>>) {
      loops.levels[1].single = &single_avx2;
      loops.levels[2].single = &single_avx512;
    }
    if constexpr (requires { F::kSingles; } && std::is_same_v<ResultOf<F>, float>) {
      loops.levels[1].half = &small_avx2<HalfPackAvx2>;
      loops.levels[1].bfloat16 = &small_avx2<BFloat16Pack<8>>;
      loops.levels[2].half = &small_avx512<HalfPackAvx512>;
      loops.levels[2].bfloat16 = &small_avx512<BFloat16Pack<16>>;
    }
#endif
    return loops;
  }
};

// Returns true if results have the dtypes that the rule promises.
template <class R>
struct KeepsPromise {
  template <class T>
  static constexpr bool promises(const Gives* gives) {
    switch (*gives) {
      case Gives::Bool:
        return std::is_same_v<R, bool>;
      case Gives::Int32:
        return std::is_same_v<R, int32_t>;
      case Gives::Real:
        return std::is_same_v<R, Real<T>>;
      case Gives::Same:
        return std::is_same_v<R, T>;
    }
    return false;
  }
};
template <class R>
struct KeepsPromise<Results<R>> : KeepsPromise<R> {};
template <class First, class... Rest>
struct KeepsPromise<Results<First, Rest...>> {
  template <class T>
  static constexpr bool promises(const Gives* gives) {
    return KeepsPromise<First>::template promises<T>(gives) &&
           KeepsPromise<Results<Rest...>>::template promises<T>(gives + 1);
  }
};

constexpr DtypeSet computed_types(DtypeSet types, Reads reads) {
  DtypeSet computed = 0;
  for (tenon_dtype dtype = 0; dtype < 32; ++dtype) {
    if (has(types, dtype)) computed |= dtypes(computed_dtype(dtype, reads));
  }
  return computed;
}

template <const Facts& kFacts, int kVariant, template <class> class F, class T, tenon_dtype kDtype>
constexpr void add_loops(PointwiseLoops* loops) {
  constexpr PointwiseRule kRule = rule_of(kFacts.pointwise, kVariant);
  constexpr DtypeSet kComputedTypes = computed_types(kRule.types, kFacts.pointwise.reads);
  if constexpr (has(kComputedTypes, kDtype)) {
    static_assert(KeepsPromise<ResultOf<F<T>>>::template promises<T>(kRule.gives),
                  "the functor must give what the rule says");
    loops[computed_index(kDtype)] = Levels<F<T>>::table();
  }
}

template <const Facts& kFacts, int kVariant, template <class> class F>
constexpr void add_all(PointwiseLoops* loops) {
  add_loops<kFacts, kVariant, F, bool, TENON_DTYPE_BOOL>(loops);
  add_loops<kFacts, kVariant, F, uint8_t, TENON_DTYPE_U8>(loops);
  add_loops<kFacts, kVariant, F, int8_t, TENON_DTYPE_I8>(loops);
  add_loops<kFacts, kVariant, F, int16_t, TENON_DTYPE_I16>(loops);
  add_loops<kFacts, kVariant, F, int32_t, TENON_DTYPE_I32>(loops);
  add_loops<kFacts, kVariant, F, int64_t, TENON_DTYPE_I64>(loops);
  add_loops<kFacts, kVariant, F, float, TENON_DTYPE_F32>(loops);
  add_loops<kFacts, kVariant, F, double, TENON_DTYPE_F64>(loops);
  add_loops<kFacts, kVariant, F, Complex64, TENON_DTYPE_C64>(loops);
  add_loops<kFacts, kVariant, F, Complex128, TENON_DTYPE_C128>(loops);
  add_loops<kFacts, kVariant, F, maths::SignedBits, TENON_DTYPE_F16>(loops);
}

template <const Facts& kFacts, template <class> class... F, int... kVariant>
constexpr void add_variants(PointwiseLoops (*loops)[kComputed], Integers<kVariant...>) {
  (add_all<kFacts, kVariant, F>(loops[kVariant]), ...);
}

// Makes the kernel of an operator whose variants are the functors F..., in this order.
template <const Facts& kFacts, template <class> class... F>
constexpr PointwiseTable<sizeof...(F)> pointwise_table() {
  PointwiseTable<sizeof...(F)> table;
  if (kFacts.pointwise.reads == Reads::Signs) {
    table.flat |= dtypes(TENON_DTYPE_F16, TENON_DTYPE_BF16);
  }
  add_variants<kFacts, F...>(table.loops, Counted<sizeof...(F)>());
  return table;
}

}  // namespace tenon::kernels::cpu
