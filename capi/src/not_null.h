// SPDX-License-Identifier: Apache-2.0
// The rule of tenon/common.h for NULL parameters: functions that return a status refuse them, other
// functions assert in debug builds.
#pragma once

#include "base/check.h"
#include "tenon/status.h"

namespace tenon::capi {

/// Puts "<function>: <parameter> must be given, got NULL" into the thread's slot.
[[gnu::cold]] tenon_status refuse_null(const char* function, const char* parameter) noexcept;

/// Clears the outputs of a failing function. Outputs that are NULL are skipped.
template <class... Out>
void clear_outputs(Out*... outs) noexcept {
  static_cast<void>(
      ((outs != nullptr ? static_cast<void>(*outs = {}) : static_cast<void>(0)), ...));
}
inline void clear_outputs() noexcept {}

}  // namespace tenon::capi

/// Returns TENON_ERROR_INVALID_ARGUMENT from a C function if a parameter is NULL, and clears the
/// outputs that follow it.
#define TENON_REQUIRE(parameter, ...)                      \
  if ((parameter) == nullptr) [[unlikely]] {               \
    tenon::capi::clear_outputs(__VA_ARGS__);               \
    return tenon::capi::refuse_null(__func__, #parameter); \
  }                                                        \
  static_assert(true)

/// Like TENON_REQUIRE, for functions that take ownership of `ctx` even if they fail.
#define TENON_REQUIRE_OWNED(parameter, ctx, deleter)       \
  if ((parameter) == nullptr) [[unlikely]] {               \
    if ((deleter) != nullptr) (deleter)(ctx);              \
    return tenon::capi::refuse_null(__func__, #parameter); \
  }                                                        \
  static_assert(true)

/// Asserts in debug builds that a parameter is not NULL, for functions whose contract excludes it.
#define TENON_NEVER_NULL(parameter) TENON_DCHECK((parameter) != nullptr)
