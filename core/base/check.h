// SPDX-License-Identifier: Apache-2.0
// Checks: TENON_CHECK for users' mistakes (always on), TENON_DCHECK for our own bugs (debug
// builds).
#pragma once

#include <cstdio>
#include <cstdlib>

#include "base/error.h"

/// Throws tenon::Error with `code` and the concatenated parts unless `condition` holds.
#define TENON_CHECK(condition, code, ...)    \
  do {                                       \
    if (__builtin_expect(!(condition), 0)) { \
      ::tenon::fail((code), __VA_ARGS__);    \
    }                                        \
  } while (false)

#define TENON_CHECK_ARG(condition, ...) \
  TENON_CHECK(condition, TENON_ERROR_INVALID_ARGUMENT, __VA_ARGS__)
#define TENON_CHECK_TYPE(condition, ...) TENON_CHECK(condition, TENON_ERROR_TYPE, __VA_ARGS__)
#define TENON_CHECK_INDEX(condition, ...) TENON_CHECK(condition, TENON_ERROR_INDEX, __VA_ARGS__)

#if defined(NDEBUG)
#define TENON_DCHECK(condition) static_cast<void>(sizeof(!(condition)))
#else
/// Aborts a debug build because of a bug of the library; costs nothing in a release build.
#define TENON_DCHECK(condition)                                                          \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)
#endif
