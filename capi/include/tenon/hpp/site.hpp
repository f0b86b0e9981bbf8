// SPDX-License-Identifier: Apache-2.0
// Site: a source location, by default that of the caller.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/site.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <cstdint>

namespace tenon::inline hpp {

// The source location of a registration or request.
struct Site {
  const char* file;
  int32_t line;
  static constexpr Site here(const char* caller_file = __builtin_FILE(),
                             int32_t caller_line = __builtin_LINE()) {
    return {caller_file, caller_line};
  }
};

}  // namespace tenon::inline hpp

#endif
