// SPDX-License-Identifier: Apache-2.0
// Shared output of the demos: times, digests of results, and names of languages.
#ifndef REPORT_H
#define REPORT_H

#include <tenon/tenon.h>

// Milliseconds since some time in the past.
double report_now_ms(void);

// Returns the FNV-1a hash of the bytes of contiguous CPU tensors, to compare results bit by bit; 0
// if a tensor cannot be read.
uint64_t report_digest(tenon_tensor* const* tensors, int64_t count);

// "C++" for TENON_LANGUAGE_CPP; "-" for one without a name here.
const char* report_language(uint32_t language);

#endif
