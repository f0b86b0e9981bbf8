// SPDX-License-Identifier: Apache-2.0
// What sanitizers do not carry over a fork.
#pragma once

#include <gtest/gtest.h>

// A thread that starts, or that asks for memory of a size for the first time, holds a lock of the
// sanitizer's allocator. A child made just then waits for that lock for ever.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TENON_SKIP_FORK_BESIDE_THREADS() \
  GTEST_SKIP() << "the sanitizer's allocator keeps its locks over a fork: the child would wait"
#else
#define TENON_SKIP_FORK_BESIDE_THREADS() static_cast<void>(0)
#endif
