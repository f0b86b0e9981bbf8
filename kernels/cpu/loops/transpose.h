// SPDX-License-Identifier: Apache-2.0
// Transposes a matrix.
#pragma once

#include <cstdint>

namespace tenon::kernels::cpu {

// A transposition. `rows` and `columns` are those of the target, whose rows are contiguous and
// `to_next` bytes apart. Its columns are contiguous in the source and `from_next` bytes apart
// there.
struct Transposition {
  int64_t element_size;
  int64_t rows;
  int64_t columns;
  int64_t to_next;
  int64_t from_next;
};

void transpose(char* to, const char* from, const Transposition& shape);

}  // namespace tenon::kernels::cpu
