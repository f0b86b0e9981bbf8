// SPDX-License-Identifier: Apache-2.0
// A square matrix of numbers in registers, with 16-byte vectors as rows.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

namespace tenon::kernels::cpu {

template <class T>
struct Square {
  using Vector [[gnu::vector_size(16)]] = T;
  static constexpr int kSide = 16 / sizeof(T);

  Vector rows[kSide];

  void load(int row, const void* from) { std::memcpy(&rows[row], from, sizeof(Vector)); }
  void store(int row, void* to) const { std::memcpy(to, &rows[row], sizeof(Vector)); }

  // Transposes by interleaving: each round moves the top bit of a row's index to the bottom of its
  // elements' indices.
  void transpose() {
    constexpr auto kAll = std::make_integer_sequence<int, kSide>();
    for (int round = 1; round < kSide; round *= 2) {
      Vector next[kSide];
      for (int k = 0; k < kSide / 2; ++k) {
        next[2 * k] = interleave<0>(rows[k], rows[k + kSide / 2], kAll);
        next[2 * k + 1] = interleave<kSide / 2>(rows[k], rows[k + kSide / 2], kAll);
      }
      for (int k = 0; k < kSide; ++k) rows[k] = next[k];
    }
  }

 private:
  // Interleaves the elements of a and b, starting at index kFirst.
  template <int kFirst, int... k>
  static Vector interleave(Vector a, Vector b, std::integer_sequence<int, k...>) {
#if __has_builtin(__builtin_shufflevector)
    return __builtin_shufflevector(a, b, (kFirst + k / 2 + (k % 2) * kSide)...);
#else  // gcc 11
    using Places = decltype(a == b);
    return __builtin_shuffle(a, b, Places{(kFirst + k / 2 + (k % 2) * kSide)...});
#endif
  }
};

}  // namespace tenon::kernels::cpu
