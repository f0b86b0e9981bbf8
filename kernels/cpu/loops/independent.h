// SPDX-License-Identifier: Apache-2.0
// A hint for loops that the compiler should vectorize.
#pragma once

// Promises the compiler that iterations are independent: outputs overlap inputs fully or not at
// all.
#if defined(__clang__)
#define TENON_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TENON_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TENON_INDEPENDENT
#endif
