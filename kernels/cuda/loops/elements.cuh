// SPDX-License-Identifier: Apache-2.0
// Elements in memory, as functors read and write them; and the switch from a dtype to its type.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

#include "kernels/common/maths/element_types.h"
#include "kernels/cuda/loops/launch.h"

namespace tenon::kernels::cuda {

// The type in memory of a functor's parameter or result V if elements are T: T if V is T's compute
// type, otherwise V. A bool in imported memory may be any byte.
template <class T, class V>
using Stored = std::conditional_t<std::is_same_v<V, bool>, uint8_t,
                                  std::conditional_t<std::is_same_v<V, Compute<T>>, T, V>>;

template <class V, class S>
TENON_FUNCTOR inline V from_stored(S stored) {
  if constexpr (std::is_same_v<V, bool>) {
    return stored != 0;
  } else {
    return static_cast<V>(stored);
  }
}

template <class T, class V>
TENON_FUNCTOR inline V load(const char* at) {
  return from_stored<V>(*reinterpret_cast<const Stored<T, V>*>(at));
}
template <class T, class V>
TENON_FUNCTOR inline void store(char* at, V value) {
  *reinterpret_cast<Stored<T, V>*>(at) = static_cast<Stored<T, V>>(value);
}

// Number of elements of an operand that are read or written together, 16 bytes for most types.
template <class T>
inline constexpr int kPack = sizeof(T) == 1   ? 16
                             : sizeof(T) == 2 ? 8
                                              : 4;

template <class S, int kCount>
struct alignas(kCount * sizeof(S) < kWidest ? kCount * sizeof(S) : kWidest) Pack {
  S at[kCount];
};

template <class P>
bool is_aligned(const char* data) {
  return reinterpret_cast<uintptr_t>(data) % alignof(P) == 0;
}

// The type that a GPU loads and stores as one word, for any elements in it.
template <int kBytes>
struct WordOf;
template <>
struct WordOf<1> {
  using type = uint8_t;
};
template <>
struct WordOf<2> {
  using type = uint16_t;
};
template <>
struct WordOf<4> {
  using type = uint32_t;
};
template <>
struct WordOf<8> {
  using type = uint2;
};
template <>
struct WordOf<16> {
  using type = uint4;
};

template <class P>
TENON_FUNCTOR inline P load_pack(const char* data) {
  using Word = typename WordOf<alignof(P)>::type;
  Word words[sizeof(P) / sizeof(Word)];
  for (size_t i = 0; i < sizeof(P) / sizeof(Word); ++i) {
    words[i] = reinterpret_cast<const Word*>(data)[i];
  }
  P pack;
  memcpy(static_cast<void*>(&pack), words, sizeof(P));
  return pack;
}
template <class P>
TENON_FUNCTOR inline void store_pack(char* data, const P& pack) {
  using Word = typename WordOf<alignof(P)>::type;
  Word words[sizeof(P) / sizeof(Word)];
  memcpy(words, static_cast<const void*>(&pack), sizeof(P));
  for (size_t i = 0; i < sizeof(P) / sizeof(Word); ++i) {
    reinterpret_cast<Word*>(data)[i] = words[i];
  }
}

template <class F, class... A>
concept IsMadeFrom = requires(const A&... args) {
  F::make(args...);
};

// Makes a functor, from the arguments if it has members.
template <class F, class... A>
F made(const A&... args) {
  if constexpr (IsMadeFrom<F, A...>) {
    return F::make(args...);
  } else {
    static_assert(std::is_empty_v<F>, "a functor with members must be made from arguments");
    return F();
  }
}

// Throws for a dtype without a kernel, which an operator's facts should have refused.
[[noreturn]] void refuse_dtype(const char* op, int32_t dtype);

// Calls body(Element<T>()) for the type in the list that has this dtype.
template <class... T, class Body>
void visit_element(const char* op, int32_t dtype, ElementTypes<T...>, Body&& body) {
  const bool is_there =
      ((dtype == dtype_of_element<T> ? (body(Element<T>()), true) : false) || ...);
  if (!is_there) refuse_dtype(op, dtype);
}

}  // namespace tenon::kernels::cuda
