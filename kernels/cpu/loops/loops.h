// SPDX-License-Identifier: Apache-2.0
// The innermost loop of casts: a functor of one input, contiguous or strided.
#pragma once

#include "kernels/common/maths/element.h"
#include "kernels/common/walk.h"
#include "kernels/cpu/loops/independent.h"

namespace tenon::kernels::cpu {

// Reads an element in the type that it is computed in. A bool in imported memory may be any byte.
template <class T>
Compute<T> load(const char* at) {
  if constexpr (std::is_same_v<T, bool>) {
    return *reinterpret_cast<const unsigned char*>(at) != 0;
  } else {
    return static_cast<Compute<T>>(*reinterpret_cast<const T*>(at));
  }
}
template <class T, class V>
void store(char* at, const V& value) {
  *reinterpret_cast<T*>(at) = static_cast<T>(value);
}

// Computes out = f(a).
template <class Out, class A, class F>
void unary_loop(char* const* data, const int64_t* strides, int64_t count, const void* ctx) {
  const F f = *static_cast<const F*>(ctx);
  char* out = data[0];
  const char* a = data[1];
  if (strides[0] == sizeof(Out) && strides[1] == sizeof(A)) {
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
      store<Out>(out + i * int64_t{sizeof(Out)}, f(load<A>(a + i * int64_t{sizeof(A)})));
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    store<Out>(out, f(load<A>(a)));
    out += strides[0];
    a += strides[1];
  }
}

}  // namespace tenon::kernels::cpu
