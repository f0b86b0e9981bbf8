// SPDX-License-Identifier: Apache-2.0
// Transposes squares in registers, and the elements outside of whole squares one by one.
#include "kernels/cpu/loops/transpose.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/loops/bits.h"
#include "kernels/cpu/loops/square.h"

namespace tenon::kernels::cpu {
namespace {

// Tiles are as wide as a cache line. Lines that are a power of 2 apart, as in columns, map to the
// same cache sets and evict each other if there are many.
constexpr int64_t kTurnTileBytes = 64;

template <class Bits>
void transpose_elements(char* to, const char* from, const Transposition& shape) {
  for (int64_t c = 0; c < shape.columns; ++c) {
    for (int64_t r = 0; r < shape.rows; ++r) {
      std::memcpy(to + r * shape.to_next + c * int64_t{sizeof(Bits)},
                  from + c * shape.from_next + r * int64_t{sizeof(Bits)}, sizeof(Bits));
    }
  }
}

template <class Bits>
void transpose_square(char* to, int64_t to_next, const char* from, int64_t from_next) {
  Square<Bits> square;
  for (int k = 0; k < square.kSide; ++k) square.load(k, from + k * from_next);
  square.transpose();
  for (int k = 0; k < square.kSide; ++k) square.store(k, to + k * to_next);
}

template <class Bits>
void transpose_squares(char* to, const char* from, Transposition shape) {
  constexpr int64_t kSide = Square<Bits>::kSide;
  constexpr int64_t kSize = sizeof(Bits);
  const int64_t rows = shape.rows / kSide * kSide;
  const int64_t columns = shape.columns / kSide * kSide;
  for (int64_t r = 0; r < rows; r += kSide) {
    for (int64_t c = 0; c < columns; c += kSide) {
      transpose_square<Bits>(to + r * shape.to_next + c * kSize, shape.to_next,
                             from + c * shape.from_next + r * kSize, shape.from_next);
    }
  }
  Transposition rest = shape;
  rest.columns -= columns;
  transpose_elements<Bits>(to + columns * kSize, from + columns * shape.from_next, rest);
  rest = shape;
  rest.columns = columns;
  rest.rows -= rows;
  transpose_elements<Bits>(to + rows * shape.to_next, from + rows * kSize, rest);
}

template <class Bits>
void transpose_tile(char* to, const char* from, const Transposition& shape) {
  if constexpr (sizeof(Bits) < 16) {
    transpose_squares<Bits>(to, from, shape);
  } else {
    transpose_elements<Bits>(to, from, shape);
  }
}

}  // namespace

void transpose(char* to, const char* from, const Transposition& shape) {
  with_bits(shape.element_size, [&]<class Bits>(Bits) {
    constexpr int64_t kSize = sizeof(Bits);
    constexpr int64_t kTile = kTurnTileBytes / kSize;
    for (int64_t r = 0; r < shape.rows; r += kTile) {
      for (int64_t c = 0; c < shape.columns; c += kTile) {
        Transposition tile = shape;
        tile.rows = std::min(kTile, shape.rows - r);
        tile.columns = std::min(kTile, shape.columns - c);
        transpose_tile<Bits>(to + r * shape.to_next + c * kSize,
                             from + c * shape.from_next + r * kSize, tile);
      }
    }
  });
}

}  // namespace tenon::kernels::cpu
