// SPDX-License-Identifier: Apache-2.0
// Squares of as many elements as a vector of 16 bytes has are turned by interleaving: each round
// moves the top bit of a row's index to the bottom of its elements' indices.
#include "kernels/cpu/turn.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/cpu/bits.h"

namespace tenon::kernels::cpu {
namespace {

// Tiles are as wide as a line of the cache: lines that lie a power of 2 apart, as those of a column
// often do, push each other out when there are many.
constexpr int64_t kTileBytes = 64;

template <class Bits>
void turn_one_by_one(char* to, const char* from, const Turn& turn) {
  for (int64_t c = 0; c < turn.columns; ++c) {
    for (int64_t r = 0; r < turn.rows; ++r) {
      std::memcpy(to + r * turn.to_next + c * int64_t{sizeof(Bits)},
                  from + c * turn.from_next + r * int64_t{sizeof(Bits)}, sizeof(Bits));
    }
  }
}

#if defined(__GNUC__)
template <class Bits>
struct Square {
  using Vector [[gnu::vector_size(16)]] = Bits;
  static constexpr int kSide = 16 / sizeof(Bits);

  // The elements of both from `first` on, in turns.
  template <int kFirst, int... k>
  static Vector interleave(Vector a, Vector b, std::integer_sequence<int, k...>) {
    return __builtin_shufflevector(a, b, (kFirst + k / 2 + (k % 2) * kSide)...);
  }

  static void turn(char* to, int64_t to_next, const char* from, int64_t from_next) {
    constexpr auto kAll = std::make_integer_sequence<int, kSide>();
    Vector rows[kSide];
    for (int k = 0; k < kSide; ++k) std::memcpy(&rows[k], from + k * from_next, 16);
    for (int round = 1; round < kSide; round *= 2) {
      Vector next[kSide];
      for (int k = 0; k < kSide / 2; ++k) {
        next[2 * k] = interleave<0>(rows[k], rows[k + kSide / 2], kAll);
        next[2 * k + 1] = interleave<kSide / 2>(rows[k], rows[k + kSide / 2], kAll);
      }
      for (int k = 0; k < kSide; ++k) rows[k] = next[k];
    }
    for (int k = 0; k < kSide; ++k) std::memcpy(to + k * to_next, &rows[k], 16);
  }
};

template <class Bits>
void turn_squares(char* to, const char* from, Turn turn) {
  constexpr int64_t kSide = Square<Bits>::kSide;
  constexpr int64_t kSize = sizeof(Bits);
  const int64_t rows = turn.rows / kSide * kSide;
  const int64_t columns = turn.columns / kSide * kSide;
  for (int64_t r = 0; r < rows; r += kSide) {
    for (int64_t c = 0; c < columns; c += kSide) {
      Square<Bits>::turn(to + r * turn.to_next + c * kSize, turn.to_next,
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
#endif

template <class Bits>
void turn_tile(char* to, const char* from, const Turn& turn) {
#if defined(__GNUC__)
  if constexpr (sizeof(Bits) < 16) return turn_squares<Bits>(to, from, turn);
#endif
  turn_one_by_one<Bits>(to, from, turn);
}

}  // namespace

void turn(char* to, const char* from, const Turn& turn) {
  with_bits(turn.element_size, [&]<class Bits>(Bits) {
    constexpr int64_t kSize = sizeof(Bits);
    constexpr int64_t kTile = kTileBytes / kSize;
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
