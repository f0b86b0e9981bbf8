// SPDX-License-Identifier: Apache-2.0
// Checks the positional and named arguments that a C caller passes.
#pragma once

#include "base/check.h"
#include "dispatch/argument_binder.h"

namespace tenon::capi {

/// Throws TENON_ERROR_INVALID_ARGUMENT for negative counts and missing arrays.
inline dispatch::CallArguments call_arguments(const char* function, const tenon_value* positional,
                                              int64_t npositional, const char* const* names,
                                              const tenon_value* named, int64_t nnamed) {
  constexpr int64_t kMost = UINT32_MAX;
  TENON_CHECK_ARG(npositional >= 0 && npositional <= kMost, function,
                  ": npositional must be a count of values, got ", npositional);
  TENON_CHECK_ARG(nnamed >= 0 && nnamed <= kMost, function,
                  ": nnamed must be a count of values, got ", nnamed);
  TENON_CHECK_ARG(positional != nullptr || npositional == 0, function,
                  ": positional must be given, got NULL");
  TENON_CHECK_ARG(nnamed == 0 || (names != nullptr && named != nullptr), function,
                  ": names and named must be given, got NULL");
  return {{positional, static_cast<size_t>(npositional)},
          {names, static_cast<size_t>(nnamed)},
          {named, static_cast<size_t>(nnamed)}};
}

}  // namespace tenon::capi
