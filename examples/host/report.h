// SPDX-License-Identifier: Apache-2.0
// Shared output of the demos: times, digests of results, and names of languages.
#ifndef REPORT_H
#define REPORT_H

#include <tenon/tenon.h>

// Returns the milliseconds since some fixed time.
double report_now_ms(void);

// Returns the FNV-1a hash of the bytes of contiguous CPU tensors, to compare results bit by bit; 0
// if a tensor cannot be read.
uint64_t report_digest(tenon_tensor* const* tensors, int64_t count);

// Returns the name of a language, such as "C++" for TENON_LANGUAGE_CPP; "-" if it has no name here.
const char* report_language(uint32_t language);

#endif
