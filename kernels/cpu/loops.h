// SPDX-License-Identifier: Apache-2.0
// Innermost loops on the CPU: a functor over one, two or three inputs, contiguous or strided.
#pragma once

#include "kernels/common/element.h"
#include "kernels/cpu/run.h"

// Tells the compiler that iterations are independent: outputs overlap inputs fully or not at all.
#if defined(__clang__)
#define TENON_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TENON_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TENON_INDEPENDENT
#endif

namespace tenon::kernels::cpu {

// Elements are read as what they are computed in. A bool may hold any byte in foreign memory.
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

// out = f(a)
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

// out = f(a, b); a scalar on the right has a loop of its own.
template <class Out, class A, class F>
void binary_loop(char* const* data, const int64_t* strides, int64_t count, const void* ctx) {
  const F f = *static_cast<const F*>(ctx);
  char* out = data[0];
  const char* a = data[1];
  const char* b = data[2];
  constexpr int64_t kOut = sizeof(Out);
  constexpr int64_t kIn = sizeof(A);
  if (strides[0] == kOut && strides[1] == kIn && strides[2] == kIn) {
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
      store<Out>(out + i * kOut, f(load<A>(a + i * kIn), load<A>(b + i * kIn)));
    }
    return;
  }
  if (strides[0] == kOut && strides[1] == kIn && strides[2] == 0) {
    const Compute<A> right = load<A>(b);
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
      store<Out>(out + i * kOut, f(load<A>(a + i * kIn), right));
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    store<Out>(out, f(load<A>(a), load<A>(b)));
    out += strides[0];
    a += strides[1];
    b += strides[2];
  }
}

// Runs a functor over a plan whose inputs are read as A and whose result is Out.
template <class Out, class A, class F>
void run_unary(Elementwise& plan, const F& f) {
  run(plan, &unary_loop<Out, A, F>, &f);
}
template <class Out, class A, class F>
void run_binary(Elementwise& plan, const F& f) {
  run(plan, &binary_loop<Out, A, F>, &f);
}

}  // namespace tenon::kernels::cpu
