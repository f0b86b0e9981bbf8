// SPDX-License-Identifier: Apache-2.0
// Generates the CUDA kernels of a functor, for each dtype of the operator's facts. A thread
// computes several elements if the rows of all operands are contiguous or a single element,
// otherwise one.
#pragma once

#include <utility>

#include "kernels/common/families/results.h"
#include "kernels/cuda/loops/elements.cuh"
#include "kernels/cuda/loops/launch.cuh"
#include "kernels/cuda/loops/pointwise.h"

namespace tenon::kernels::cuda {

// Returns true if all packs of an operand with contiguous rows are aligned.
template <class P>
bool are_packs(const Strided& walk, int k) {
  bool fits = is_aligned<P>(walk.data[k]);
  for (int d = 1; d < walk.ndim; ++d) fits = fits && walk.strides[k][d] % alignof(P) == 0;
  return fits;
}

// The results of kPack<T> calls, each an element of one output. Outputs are the first operands.
template <class T, class R>
struct Outs {
  static constexpr int kCount = 1;
  using S = Stored<T, R>;
  using P = Pack<S, kPack<T>>;
  P pack;

  TENON_FUNCTOR static void store_one(char* const* at, const R& result) {
    store<T, R>(at[0], result);
  }
  TENON_FUNCTOR static void store_at(char* const* at, int64_t j, const R& result) {
    store<T, R>(at[0] + j * int64_t{sizeof(S)}, result);
  }
  TENON_FUNCTOR void put(int j, const R& result) { pack.at[j] = static_cast<S>(result); }
  TENON_FUNCTOR void store_all(char* const* at) const { store_pack(at[0], pack); }
  // Returns true if the rows of operand k are contiguous and their packs aligned.
  static bool has_packs(const Strided& walk, int k) {
    return walk.strides[k][0] == sizeof(S) && are_packs<P>(walk, k);
  }
};
template <class T, class R>
struct Outs<T, Results<R>> : Outs<T, R> {
  TENON_FUNCTOR static void store_one(char* const* at, const Results<R>& results) {
    Outs<T, R>::store_one(at, results.first);
  }
  TENON_FUNCTOR static void store_at(char* const* at, int64_t j, const Results<R>& results) {
    Outs<T, R>::store_at(at, j, results.first);
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
  TENON_FUNCTOR static void store_at(char* const* at, int64_t j,
                                     const Results<First, Rest...>& results) {
    Outs<T, First>::store_at(at, j, results.first);
    Outs<T, Results<Rest...>>::store_at(at + 1, j, results.rest);
  }
  TENON_FUNCTOR void put(int j, const Results<First, Rest...>& results) {
    first.put(j, results.first);
    rest.put(j, results.rest);
  }
  TENON_FUNCTOR void store_all(char* const* at) const {
    first.store_all(at);
    rest.store_all(at + 1);
  }
  static bool has_packs(const Strided& walk, int k) {
    return Outs<T, First>::has_packs(walk, k) && Outs<T, Results<Rest...>>::has_packs(walk, k + 1);
  }
};

// kPack<T> elements of an input, or a single element for all.
template <class T, class V>
struct In {
  using S = Stored<T, V>;
  using P = Pack<S, kPack<T>>;
  V at[kPack<T>];

  TENON_FUNCTOR explicit In(V one) {
    for (int j = 0; j < kPack<T>; ++j) at[j] = one;
  }
  TENON_FUNCTOR explicit In(const char* data) {
    const P pack = load_pack<P>(data);
    for (int j = 0; j < kPack<T>; ++j) at[j] = from_stored<V>(pack.at[j]);
  }
  // Returns true if each row of operand k is a single element, or contiguous with aligned packs.
  static bool has_packs(const Strided& walk, int k) {
    const int64_t distance = walk.strides[k][0];
    return distance == 0 || (distance == sizeof(S) && are_packs<P>(walk, k));
  }
};

// The number and types of inputs and results, taken from a functor's call operator.
template <class T, class F, class Call = decltype(&F::operator())>
struct Pointwise;
template <class T, class F, class R, class... A>
struct Pointwise<T, F, R (F::*)(A...) const> {
  static constexpr int kOuts = Outs<T, R>::kCount;
  static constexpr int kOperands = kOuts + static_cast<int>(sizeof...(A));
  static_assert(kOperands <= kMaxOperands, "functors have 8 operands at most");
  using Inputs = std::make_integer_sequence<int, sizeof...(A)>;
  // The cost of a launch grows with its parameters, so packs support only a few dims.
  static constexpr int kPackedDims = 4;

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

  // Body i computes kPack<T> elements of a row; the last body of a single row computes the
  // remainder.
  struct ByPack {
    Steps<kOperands, kPackedDims> packs;
    int64_t numel;
    F functor;
    uint32_t ones = 0;  // bit k: each row of operand k is a single element

    ByPack(const Strided& walk, const F& f) : packs(packed(walk)), numel(walk.numel), functor(f) {
      for (int k = 0; k < kOperands; ++k) ones |= uint32_t{walk.strides[k][0] == 0} << k;
    }
    TENON_FUNCTOR void operator()(int64_t i) const {
      char* at[kOperands];
      packs.locate(i, at);
      const int64_t left = numel - i * kPack<T>;
      if (left >= kPack<T>) {
        call(at, Inputs());
      } else {
        for (int64_t j = 0; j < left; ++j) call_one(at, j, Inputs());
      }
    }

   private:
    TENON_FUNCTOR bool is_one(int k) const { return (ones >> k & 1) != 0; }
    template <class V>
    TENON_FUNCTOR In<T, V> input(int k, const char* at) const {
      if (packs.has_element(k)) return In<T, V>(*reinterpret_cast<const V*>(at));
      return is_one(k) ? In<T, V>(load<T, V>(at)) : In<T, V>(at);
    }
    template <int... k>
    TENON_FUNCTOR void call(char* const* at, std::integer_sequence<int, k...>) const {
      call_all(at, input<A>(kOuts + k, at[kOuts + k])...);
    }
    TENON_FUNCTOR void call_all(char* const* at, const In<T, A>&... in) const {
      Outs<T, R> outs;
      for (int j = 0; j < kPack<T>; ++j) outs.put(j, functor(in.at[j]...));
      outs.store_all(at);
    }
    // Returns element j of a remainder that is shorter than a pack.
    template <class V>
    TENON_FUNCTOR V input_of(int k, const char* at, int64_t j) const {
      if (packs.has_element(k)) return *reinterpret_cast<const V*>(at);
      return load<T, V>(is_one(k) ? at : at + j * int64_t{sizeof(Stored<T, V>)});
    }
    template <int... k>
    TENON_FUNCTOR void call_one(char* const* at, int64_t j,
                                std::integer_sequence<int, k...>) const {
      Outs<T, R>::store_at(at, j, functor(input_of<A>(kOuts + k, at[kOuts + k], j)...));
    }
  };

  static void launch(const char* op, const Strided& walk, const F& functor, Stream stream) {
    if (has_packs(walk, Inputs())) {
      const ByPack body(walk, functor);
      launch_each(op, body, body.packs.numel(), stream);
    } else {
      launch_each(op, ByElement{Steps<kOperands>(walk), functor}, walk.numel, stream);
    }
  }

 private:
  // Returns a walk over packs instead of elements.
  static Strided packed(const Strided& walk) {
    Strided packs = walk;
    packs.sizes[0] = (walk.sizes[0] + kPack<T> - 1) / kPack<T>;
    packs.numel = walk.sizes[0] == 0 ? 0 : walk.numel / walk.sizes[0] * packs.sizes[0];
    for (int k = 0; k < kOperands; ++k) packs.strides[k][0] *= kPack<T>;
    return packs;
  }
  template <int... k>
  static bool has_packs(const Strided& walk, std::integer_sequence<int, k...>) {
    const bool are_whole = walk.ndim == 1 || walk.sizes[0] % kPack<T> == 0;
    return walk.ndim >= 1 && walk.ndim <= kPackedDims && are_whole &&
           Outs<T, R>::has_packs(walk, 0) && (In<T, A>::has_packs(walk, kOuts + k) && ...);
  }
};

// The type that a T is moved as, so that there is one kernel for each size.
template <class T>
using Moved = std::conditional_t<
    is_complex_element<T>, T,
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, int16_t,
                                          std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>>>;

// Launches a functor, made from the arguments if it has members, over operands with elements T.
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

// Makes the kernel of an operator whose variants are the functors F..., in this order.
template <const Facts& kFacts, template <class> class... F>
constexpr PointwiseTable<sizeof...(F)> pointwise_table() {
  PointwiseTable<sizeof...(F)> table;
  add_variants<kFacts, F...>(table.launches, std::make_integer_sequence<int, sizeof...(F)>());
  return table;
}

}  // namespace tenon::kernels::cuda
