// SPDX-License-Identifier: Apache-2.0
// Turns a matrix: its columns become rows.
#pragma once

#include <cstdint>

namespace tenon::kernels::cpu {

// What is copied: `rows` and `columns` of the written matrix, whose rows lie without gaps and
// `to_next` bytes apart. Its columns lie without gaps in the one that is read, `from_next` bytes
// apart.
struct Turn {
  int64_t element_size;
  int64_t rows;
  int64_t columns;
  int64_t to_next;
  int64_t from_next;
};

void turn(char* to, const char* from, const Turn& turn);

}  // namespace tenon::kernels::cpu
