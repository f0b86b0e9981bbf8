// SPDX-License-Identifier: Apache-2.0
// Fills a block with one or a few elements.
#pragma once

#include <cstdint>

namespace tenon::kernels::cpu {

// Writes an element `count` times. `element` may be the block's first element.
void repeat_element(char* block, const char* element, int64_t element_size, int64_t count);

// Repeats the first `size` bytes of a block until it has `total` bytes.
void repeat_bytes(char* block, int64_t size, int64_t total);

}  // namespace tenon::kernels::cpu
