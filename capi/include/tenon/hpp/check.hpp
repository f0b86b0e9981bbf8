// SPDX-License-Identifier: Apache-2.0
// TENON_CHECK and TENON_INTERNAL_ASSERT, which state conditions in a kernel. Not included by
// tenon.hpp, because a program may have macros with these names.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/check.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <sstream>

#include "tenon/hpp/error.hpp"

// Usage:
//
//   TENON_CHECK(x.ndim() == 2, "resize: x must have 2 dims, got ", x.ndim());

namespace tenon::inline hpp::detail {

template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail_check(tenon_status status, const char* file,
                                                       int line, const char* condition,
                                                       const Parts&... parts) {
  std::ostringstream text;
  if constexpr (sizeof...(Parts) == 0) {
    text << file << ':' << line << ": condition must hold: " << condition;
  } else {
    (text << ... << parts);
  }
  throw Error(status, text.str());
}

}  // namespace tenon::inline hpp::detail

// Throws TENON_ERROR_RUNTIME with the additional arguments as its message, unless the condition
// holds.
#define TENON_CHECK(condition, ...)                                        \
  do {                                                                     \
    if (!(condition)) [[unlikely]] {                                       \
      ::tenon::detail::fail_check(TENON_ERROR_RUNTIME, __FILE__, __LINE__, \
                                  #condition __VA_OPT__(, ) __VA_ARGS__);  \
    }                                                                      \
  } while (0)

// Like TENON_CHECK, for conditions that only a bug can violate: throws TENON_ERROR_INTERNAL.
#define TENON_INTERNAL_ASSERT(condition, ...)                               \
  do {                                                                      \
    if (!(condition)) [[unlikely]] {                                        \
      ::tenon::detail::fail_check(TENON_ERROR_INTERNAL, __FILE__, __LINE__, \
                                  #condition __VA_OPT__(, ) __VA_ARGS__);   \
    }                                                                       \
  } while (0)

#endif
