// SPDX-License-Identifier: Apache-2.0
// What the demos report: times, bits of results, and names of languages.
#ifndef REPORT_H
#define REPORT_H

#include <tenon/tenon.h>

// Milliseconds since some time in the past.
double report_now_ms(void);

// FNV-1a over the bytes of contiguous CPU tensors: equal only where they are bit-identical. 0 for a
// tensor that cannot be read.
uint64_t report_digest(tenon_tensor* const* tensors, int64_t count);

// "C++" for TENON_LANGUAGE_CPP; "-" for one without a name here.
const char* report_language(uint32_t language);

#endif
