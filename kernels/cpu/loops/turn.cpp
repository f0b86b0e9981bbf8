// SPDX-License-Identifier: Apache-2.0
// Transposes squares in registers, and the elements outside of whole squares one by one.
#include "kernels/cpu/loops/turn.h"

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
void turn_one_by_one(char* to, const char* from, const Turn& turn) {
  for (int64_t c = 0; c < turn.columns; ++c) {
    for (int64_t r = 0; r < turn.rows; ++r) {
      std::memcpy(to + r * turn.to_next + c * int64_t{sizeof(Bits)},
                  from + c * turn.from_next + r * int64_t{sizeof(Bits)}, sizeof(Bits));
    }
  }
}

template <class Bits>
void turn_square(char* to, int64_t to_next, const char* from, int64_t from_next) {
  Square<Bits> square;
  for (int k = 0; k < square.kSide; ++k) square.load(k, from + k * from_next);
  square.turn();
  for (int k = 0; k < square.kSide; ++k) square.store(k, to + k * to_next);
}

template <class Bits>
void turn_squares(char* to, const char* from, Turn turn) {
  constexpr int64_t kSide = Square<Bits>::kSide;
  constexpr int64_t kSize = sizeof(Bits);
  const int64_t rows = turn.rows / kSide * kSide;
  const int64_t columns = turn.columns / kSide * kSide;
  for (int64_t r = 0; r < rows; r += kSide) {
    for (int64_t c = 0; c < columns; c += kSide) {
      turn_square<Bits>(to + r * turn.to_next + c * kSize, turn.to_next,
                        from + c * turn.from_next + r * kSize, turn.from_next);
    }
  }
  Turn rest = turn;
  rest.columns -= columns;
  turn_one_by_one<Bits>(to + columns * kSize, from + columns * turn.from_next, rest);
  rest = turn;
  rest.columns = columns;
  rest.rows -= rows;
  turn_one_by_one<Bits>(to + rows * turn.to_next, from + rows * kSize, rest);
}

template <class Bits>
void turn_tile(char* to, const char* from, const Turn& turn) {
  if constexpr (sizeof(Bits) < 16) {
    turn_squares<Bits>(to, from, turn);
  } else {
    turn_one_by_one<Bits>(to, from, turn);
  }
}

}  // namespace

void turn(char* to, const char* from, const Turn& turn) {
  with_bits(turn.element_size, [&]<class Bits>(Bits) {
    constexpr int64_t kSize = sizeof(Bits);
    constexpr int64_t kTile = kTurnTileBytes / kSize;
    for (int64_t r = 0; r < turn.rows; r += kTile) {
      for (int64_t c = 0; c < turn.columns; c += kTile) {
        Turn tile = turn;
        tile.rows = std::min(kTile, turn.rows - r);
        tile.columns = std::min(kTile, turn.columns - c);
        turn_tile<Bits>(to + r * turn.to_next + c * kSize, from + c * turn.from_next + r * kSize,
                        tile);
      }
    }
  });
}

}  // namespace tenon::kernels::cpu
