// SPDX-License-Identifier: Apache-2.0
// The only place that catches exceptions: wraps the body of every C function that may fail.
#pragma once

#include <cxxabi.h>

#include <type_traits>
#include <utility>

#include "base/error.h"

namespace tenon::capi {

/// Stores the current exception as an error in the thread's slot and returns its code. Must be
/// called from a catch block.
tenon_status catch_current_exception() noexcept;

/// Runs `body`, which returns nothing or a tenon_status. An exception is stored as an error in the
/// calling thread's slot. A forced unwind (pthread_exit, cancellation) passes through, because
/// swallowing it would abort the process.
template <class Body>
// In a forced unwind, the reference in the catch clause is bound to a null object. The undefined
// behavior sanitizer would report that.
__attribute__((no_sanitize("undefined"))) tenon_status guarded(Body&& body) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body&>>) {
      body();
      return TENON_OK;
    } else {
      return body();
    }
#if defined(__GLIBCXX__)
  } catch (abi::__forced_unwind&) {
    throw;
#endif
  } catch (...) {
    return catch_current_exception();
  }
}

}  // namespace tenon::capi
