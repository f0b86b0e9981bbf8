// SPDX-License-Identifier: Apache-2.0
// LazyOp: an operator under a C++ signature that is found by its name at its first call.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/lazy_op.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <atomic>

#include "tenon/hpp/op.hpp"

// Usage:
//
//   static constinit const tenon::LazyOp<tenon::Tensor(const tenon::Tensor&)> relu("aten::relu");
//   y = relu(x);

namespace tenon::inline hpp {

// For kernels that call other operators:
//
//   static constinit const LazyOp<Tensor(const Tensor&, Sizes)> view("aten::view");
//   return view(self, sizes);
//
// It is made before the program runs and holds no lock, so any threads may call it first, and a
// child process never waits for one that it does not have, as it may for a function's static
// TypedOp. A first call that fails throws what TypedOp throws; the next one looks again. The name
// must live as long.
template <class R, class... P>
class LazyOp<R(P...)> {
 public:
  using Typed = TypedOp<R(P...)>;

  constexpr explicit LazyOp(const char* name) noexcept : name_(name) {}

  const char* name() const noexcept { return name_; }

  // The operator, looked up and checked against the signature if it was not yet.
  Typed typed() const {
    const tenon_op* op = op_.load(std::memory_order_acquire);
    if (op == nullptr) [[unlikely]] {
      op = find();
    }
    return Typed(op, returns_.load(std::memory_order_relaxed));
  }

  // As TypedOp's.
  R operator()(const detail::Parameter<P>&... arguments) const { return typed()(arguments...); }
  R redispatch(KeySet keys, const detail::Parameter<P>&... arguments) const {
    return typed().redispatch(keys, arguments...);
  }

 private:
  [[gnu::cold, gnu::noinline]] const tenon_op* find() const {
    const Typed found = Op(name_).typed<R(P...)>();
    // Each thread that comes here stores the same.
    returns_.store(found.returns_, std::memory_order_relaxed);
    op_.store(found.get(), std::memory_order_release);
    return found.get();
  }

  const char* name_;
  mutable std::atomic<const tenon_op*> op_{nullptr};
  mutable std::atomic<uint32_t> returns_{0};
};

}  // namespace tenon::inline hpp

#endif
