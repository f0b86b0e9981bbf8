// SPDX-License-Identifier: Apache-2.0
// Fills a block with one element, or with a few.
#pragma once

#include <cstdint>

namespace tenon::kernels::cpu {

// Writes an element `count` times. It may be the block's first.
void repeat_element(char* block, const char* element, int64_t element_size, int64_t count);

// Repeats the first `size` bytes of a block up to `total`.
void repeat_bytes(char* block, int64_t size, int64_t total);

}  // namespace tenon::kernels::cpu
