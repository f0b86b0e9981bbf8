// SPDX-License-Identifier: Apache-2.0
// Functions of libraries that are loaded by the first call that needs them: oneDNN and OpenBLAS
// take a hundred times longer to load than all our kernels, and most programs multiply no matrices.
#pragma once

#include <atomic>

#include "kernels/cpu/lost_team.h"

namespace tenon::kernels::cpu {

// The address of a function of a shared library, which is loaded now if it was not, and stays.
void* late_symbol(const char* library, const char* name);
// The same of it or of one that it needs, NULL where there is none.
void* find_late_symbol(const char* library, const char* name) noexcept;

// A function of that library, of type F: one for each, made before the program runs. A call that
// finds no library throws, and the next one tries again.
template <class F>
class LateFunction {
 public:
  constexpr LateFunction(const char* library, const char* name) noexcept
      : library_(library), name_(name) {}

  template <class... A>
  auto operator()(A... arguments) const {
    F* function = function_.load(std::memory_order_acquire);
    if (function == nullptr) {
      function = reinterpret_cast<F*>(late_symbol(library_, name_));
      function_.store(function, std::memory_order_release);
    }
    const AloneAfterFork alone(library_);
    return function(arguments...);
  }

 private:
  const char* library_;
  const char* name_;
  mutable std::atomic<F*> function_{nullptr};
};

}  // namespace tenon::kernels::cpu
