// SPDX-License-Identifier: Apache-2.0
// A macro that skips tests which fork while other threads run under a sanitizer.
#pragma once

#include <gtest/gtest.h>

// Note: a thread that starts, or that allocates memory of a new size, holds a lock of the
// sanitizer's allocator. If the process forks at that moment, the child inherits the locked lock
// but not the thread that would unlock it, and waits forever.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TENON_SKIP_FORK_BESIDE_THREADS() \
  GTEST_SKIP() << "the sanitizer's allocator keeps its locks over a fork: the child would wait"
#else
#define TENON_SKIP_FORK_BESIDE_THREADS() static_cast<void>(0)
#endif
