// SPDX-License-Identifier: Apache-2.0
// From a functor to its CUDA kernels, for each dtype of the operator's facts: some elements a
// thread where all operands are without gaps, one where they are strided.
#pragma once

#include <utility>

#include "kernels/common/results.h"
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/pointwise.h"

namespace tenon::kernels::cuda {

// So many elements of an operand are read or written together.
inline constexpr int kPack = 4;

template <class S>
struct alignas(kPack * sizeof(S) < kWidest ? kPack * sizeof(S) : kWidest) Pack {
  S at[kPack];
};

template <class P>
bool is_aligned(const char* data) {
  return reinterpret_cast<uintptr_t>(data) % alignof(P) == 0;
}

// The results of `count` calls, at most kPack, each an element of one output; they are the first
// operands.
template <class T, class R>
struct Outs {
  static constexpr int kCount = 1;
  using S = Stored<T, R>;
  Pack<S> pack;

  TENON_FUNCTOR static void store_one(char* const* at, const R& result) {
    store<T, R>(at[0], result);
  }
  TENON_FUNCTOR void put(int j, const R& result) { pack.at[j] = static_cast<S>(result); }
  TENON_FUNCTOR void store_all(char* const* data, int64_t first, int count) const {
    S* const out = reinterpret_cast<S*>(data[0]) + first;
    if (count == kPack) {
      *reinterpret_cast<Pack<S>*>(out) = pack;
    } else {
      for (int j = 0; j < count; ++j) out[j] = pack.at[j];
    }
  }
  // Whether operand k has no gaps, and packs where they may be.
  static bool is_flat(const Strided& walk, int k) {
    return walk.strides[k][0] == sizeof(S) && is_aligned<Pack<S>>(walk.data[k]);
  }
};
template <class T, class R>
struct Outs<T, Results<R>> : Outs<T, R> {
  TENON_FUNCTOR static void store_one(char* const* at, const Results<R>& results) {
    Outs<T, R>::store_one(at, results.first);
  }
  TENON_FUNCTOR void put(int j, const Results<R>& results) { Outs<T, R>::put(j, results.first); }
};
template <class T, class First, class... Rest>
struct Outs<T, Results<First, Rest...>> {
  static constexpr int kCount = 1 + sizeof...(Rest);
  Outs<T, First> first;
  Outs<T, Results<Rest...>> rest;

  TENON_FUNCTOR static void store_one(char* const* at, const Results<First, Rest...>& results) {
    Outs<T, First>::store_one(at, results.first);
    Outs<T, Results<Rest...>>::store_one(at + 1, results.rest);
  }
  TENON_FUNCTOR void put(int j, const Results<First, Rest...>& results) {
    first.put(j, results.first);
    rest.put(j, results.rest);
  }
  TENON_FUNCTOR void store_all(char* const* data, int64_t at, int count) const {
    first.store_all(data, at, count);
    rest.store_all(data + 1, at, count);
  }
  static bool is_flat(const Strided& walk, int k) {
    return Outs<T, First>::is_flat(walk, k) && Outs<T, Results<Rest...>>::is_flat(walk, k + 1);
  }
};

// `count` elements of an input from `first` on, at most kPack, or one element for all.
template <class T, class V>
struct In {
  using S = Stored<T, V>;
  V at[kPack];

  TENON_FUNCTOR explicit In(V one) {
    for (int j = 0; j < kPack; ++j) at[j] = one;
  }
  TENON_FUNCTOR In(const char* data, int64_t first, int count) {
    const S* const in = reinterpret_cast<const S*>(data);
    if (count == kPack) {
      const Pack<S> pack = *reinterpret_cast<const Pack<S>*>(in + first);
      for (int j = 0; j < kPack; ++j) at[j] = from_stored<V>(pack.at[j]);
    } else {
      for (int j = 0; j < count; ++j) at[j] = from_stored<V>(in[first + j]);
    }
  }
  static bool is_flat(const Strided& walk, int k) {
    return walk.strides[k][0] == 0 ||
           (walk.strides[k][0] == sizeof(S) && is_aligned<Pack<S>>(walk.data[k]));
  }
};

// The call operator of a functor says how many inputs and results there are, and their types.
template <class T, class F, class Call = decltype(&F::operator())>
struct Pointwise;
template <class T, class F, class R, class... A>
struct Pointwise<T, F, R (F::*)(A...) const> {
  static constexpr int kOuts = Outs<T, R>::kCount;
  static constexpr int kOperands = kOuts + static_cast<int>(sizeof...(A));
  static_assert(kOperands <= kMaxOperands, "functors have 8 operands at most");
  using Inputs = std::make_integer_sequence<int, sizeof...(A)>;

  struct ByElement {
    Steps<kOperands> steps;
    F functor;

    TENON_FUNCTOR void operator()(int64_t i) const {
      char* at[kOperands];
      steps.locate(i, at);
      call(at, Inputs());
    }

   private:
    template <class V>
    TENON_FUNCTOR V input(int k, char* const* at) const {
      return steps.has_element(k) ? *reinterpret_cast<const V*>(at[k]) : load<T, V>(at[k]);
    }
    template <int... k>
    TENON_FUNCTOR void call(char* const* at, std::integer_sequence<int, k...>) const {
      Outs<T, R>::store_one(at, functor(input<A>(kOuts + k, at)...));
    }
  };

  // Body i is for kPack elements.
  struct ByPack {
    int64_t numel;
    F functor;
    uint32_t ones = 0;  // bit k: operand k is one element for all
    char* data[kOperands];
    alignas(kWidest) char elements[kOperands][kWidest];

    ByPack(const Strided& walk, const F& f) : numel(walk.numel), functor(f) {
      for (int k = 0; k < kOperands; ++k) {
        ones |= uint32_t{walk.strides[k][0] == 0} << k;
        data[k] = walk.data[k];
        std::copy_n(walk.elements[k], kWidest, elements[k]);
      }
    }
    TENON_FUNCTOR void operator()(int64_t i) const {
      const int64_t first = i * kPack;
      const int64_t left = numel - first;
      call(first, left < kPack ? static_cast<int>(left) : kPack, Inputs());
    }

   private:
    template <class V>
    TENON_FUNCTOR In<T, V> input(int k, int64_t first, int count) const {
      if (data[k] == nullptr) return In<T, V>(*reinterpret_cast<const V*>(elements[k]));
      if ((ones >> k & 1) != 0) return In<T, V>(load<T, V>(data[k]));
      return In<T, V>(data[k], first, count);
    }
    template <int... k>
    TENON_FUNCTOR void call(int64_t first, int count, std::integer_sequence<int, k...>) const {
      call_all(first, count, input<A>(kOuts + k, first, count)...);
    }
    TENON_FUNCTOR void call_all(int64_t first, int count, const In<T, A>&... in) const {
      Outs<T, R> outs;
      for (int j = 0; j < kPack; ++j) {
        if (j < count) outs.put(j, functor(in.at[j]...));
      }
      outs.store_all(data, first, count);
    }
  };

  static void launch(const char* op, const Strided& walk, const F& functor, Stream stream) {
    if (walk.ndim == 1 && are_flat(walk, Inputs())) {
      launch_each(op, ByPack(walk, functor), (walk.numel + kPack - 1) / kPack, stream);
    } else {
      launch_each(op, ByElement{Steps<kOperands>(walk), functor}, walk.numel, stream);
    }
  }

 private:
  template <int... k>
  static bool are_flat(const Strided& walk, std::integer_sequence<int, k...>) {
    return Outs<T, R>::is_flat(walk, 0) && (In<T, A>::is_flat(walk, kOuts + k) && ...);
  }
};

// What a T is moved as: kernels are then one for each size.
template <class T>
using Moved = std::conditional_t<
    is_complex_element<T>, T,
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, int16_t,
                                          std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>>>;

// Launches a functor, made from arguments where it takes any, over operands of elements T.
template <class T, class F>
void launch_pointwise(const Strided& walk, const Args& args, Stream stream) {
  Pointwise<T, F>::launch(args.op(), walk, made<F>(args), stream);
}

template <const Facts& kFacts, int kVariant, template <class> class F, class T>
constexpr void add_launch(Launch* launches) {
  if constexpr (has(rule_of(kFacts.pointwise, kVariant).types, dtype_of_element<T>)) {
    using E = std::conditional_t<kFacts.pointwise.reads == Reads::Nothing, Moved<T>, T>;
    launches[dtype_of_element<T>] = &launch_pointwise<E, F<Compute<E>>>;
  }
}

template <const Facts& kFacts, int kVariant, template <class> class F, class... T>
constexpr void add_launches(Launch* launches, ElementTypes<T...>) {
  (add_launch<kFacts, kVariant, F, T>(launches), ...);
}

template <const Facts& kFacts, template <class> class... F, int... kVariant>
constexpr void add_variants(Launch (*launches)[kDtypes], std::integer_sequence<int, kVariant...>) {
  (add_launches<kFacts, kVariant, F>(launches[kVariant], AllTypes()), ...);
}

// The kernel of an operator whose variants are the functors F..., in this order.
template <const Facts& kFacts, template <class> class... F>
constexpr PointwiseTable<sizeof...(F)> pointwise_table() {
  PointwiseTable<sizeof...(F)> table;
  add_variants<kFacts, F...>(table.launches, std::make_integer_sequence<int, sizeof...(F)>());
  return table;
}

}  // namespace tenon::kernels::cuda
