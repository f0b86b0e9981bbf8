// SPDX-License-Identifier: Apache-2.0
// LazyOp: an operator with a C++ signature that is looked up by name on its first call.
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
// Note [LazyOp and fork]: a LazyOp is constant-initialised and uses no lock, so any thread may make
// the first call. A function's static TypedOp is initialised under a lock of the C++ runtime. If
// another thread holds that lock during fork(), the child process waits for it forever. If the
// first call fails, it throws what TypedOp throws, and the next call repeats the lookup. The name
// must outlive the object.
template <class R, class... P>
class LazyOp<R(P...)> {
 public:
  using Typed = TypedOp<R(P...)>;

  constexpr explicit LazyOp(const char* name) noexcept : name_(name) {}

  const char* name() const noexcept { return name_; }

  // Returns the operator. The first call looks it up and checks it against the signature.
  Typed typed() const {
    const tenon_op* op = op_.load(std::memory_order_acquire);
    if (op == nullptr) [[unlikely]] {
      op = find();
    }
    return Typed(op, returns_.load(std::memory_order_relaxed));
  }

  // As in TypedOp.
  R operator()(const detail::Parameter<P>&... arguments) const { return typed()(arguments...); }
  R redispatch(KeySet keys, const detail::Parameter<P>&... arguments) const {
    return typed().redispatch(keys, arguments...);
  }

 private:
  [[gnu::cold, gnu::noinline]] const tenon_op* find() const {
    const Typed found = Op(name_).typed<R(P...)>();
    // Threads that race here store the same values.
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
