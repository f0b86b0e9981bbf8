// SPDX-License-Identifier: Apache-2.0
// Functions of libraries that are loaded on the first call. Loading oneDNN and OpenBLAS takes a
// hundred times longer than loading all our kernels, and most programs multiply no matrices.
#pragma once

#include <atomic>

#include "kernels/cpu/openmp_fork.h"

namespace tenon::kernels::cpu {

// Returns the address of a function of a shared library, which is loaded if necessary and never
// unloaded. Throws if the function is not found.
void* late_symbol(const char* library, const char* name);
// Like late_symbol(), but also finds functions of libraries that the library depends on, and
// returns NULL if there is none.
void* find_late_symbol(const char* library, const char* name) noexcept;

// A function of type F of a library, as a constinit variable. A call that does not find the library
// throws, and the next call tries again.
template <class F>
class LazyFunction {
 public:
  constexpr LazyFunction(const char* library, const char* name) noexcept
      : library_(library), name_(name) {}

  template <class... A>
  auto operator()(A... arguments) const {
    F* function = function_.load(std::memory_order_acquire);
    if (function == nullptr) {
      function = reinterpret_cast<F*>(late_symbol(library_, name_));
      function_.store(function, std::memory_order_release);
    }
    const SingleOpenMpThreadAfterFork single(library_);
    return function(arguments...);
  }

 private:
  const char* library_;
  const char* name_;
  mutable std::atomic<F*> function_{nullptr};
};

}  // namespace tenon::kernels::cpu
