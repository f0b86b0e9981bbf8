// SPDX-License-Identifier: Apache-2.0
// The one place that catches: ends every C function that may fail.
#pragma once

#include <cxxabi.h>

#include <type_traits>
#include <utility>

#include "base/error.h"

namespace tenon::capi {

/// Turns the exception in flight into an error in the thread's slot and returns its code. Call it
/// from a catch block only.
tenon_status catch_current_exception() noexcept;

/// Runs `body`, which returns nothing or a tenon_status. Whatever it throws ends in the calling
/// thread's slot, except a forced unwind (pthread_exit, cancellation), which must go on: swallowing
/// it would abort the process.
template <class Body>
// A forced unwind is caught by a reference to nothing, which the sanitizer would report.
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
