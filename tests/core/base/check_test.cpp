// SPDX-License-Identifier: Apache-2.0
// Checks: those of user mistakes are always on, assertions only in debug builds, which include the
// sanitizers' builds.
#include "base/check.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

#if defined(NDEBUG)
constexpr bool kHasAssertions = false;
#else
constexpr bool kHasAssertions = true;
#endif

// Compares with CMake's build type, because a preset's own flags could contradict it.
TEST(CheckTest, AssertionsAreOn_InDebugBuildsOnly) {
  EXPECT_EQ(kHasAssertions, TENON_IS_DEBUG_BUILD != 0);
}

TEST(CheckTest, UserMistake_IsAnErrorInEveryBuild) {
  try {
    TENON_CHECK_ARG(1 + 1 == 3, "f: n must be ", 3, ", got ", 2);
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(error.what(), "f: n must be 3, got 2");
  }
}

TEST(CheckTest, Assertion_IsNotEvaluatedInReleaseBuilds) {
  int evaluated = 0;
  TENON_DCHECK(++evaluated > 0);
  EXPECT_EQ(evaluated, kHasAssertions ? 1 : 0);
}

#if !defined(NDEBUG)
TEST(CheckDeathTest, FailedAssertion_StopsADebugBuildAndNamesItsPlace) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(TENON_DCHECK(1 + 1 == 3), "check_test.cpp:[0-9]+: check failed: 1 \\+ 1 == 3");
}
#endif

}  // namespace
}  // namespace tenon
