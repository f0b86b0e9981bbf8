// SPDX-License-Identifier: Apache-2.0
// Shared parts of the stress tests: their lengths, and counts of live handles.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include "tenon/tenon.h"

namespace tenon::test {

/// Returns the short amount, or the long one if the variable TENON_STRESS is "long".
inline int64_t scaled(int64_t quick, int64_t thorough) {
  const char* wanted = std::getenv("TENON_STRESS");
  return wanted != nullptr && std::string(wanted) == "long" ? thorough : quick;
}

/// Fails the test if a handle of any kind created in its scope is leaked.
class LeakCheck {
 public:
  LeakCheck() { count(before_); }
  ~LeakCheck() {
    int64_t after[32];
    count(after);
    for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind) {
      EXPECT_EQ(before_[kind], after[kind])
          << "live " << tenon_introspect_handle_name(kind) << " handles";
    }
  }
  LeakCheck(const LeakCheck&) = delete;
  LeakCheck& operator=(const LeakCheck&) = delete;

 private:
  static void count(int64_t* counts) {
    // The first use of the registry creates the built-in fallbacks.
    EXPECT_EQ(tenon_introspect_check(nullptr), TENON_OK);
    tenon_registry_reap();
    for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind) {
      counts[kind] = tenon_introspect_live_count(kind);
    }
  }
  int64_t before_[32];
};

}  // namespace tenon::test
