// SPDX-License-Identifier: Apache-2.0
// The Mersenne twister MT19937 of Matsumoto and Nishimura (1998): 32-bit numbers from 624 words.
#pragma once

#include <array>
#include <cstdint>

namespace tenon::tensor {

/// The engine of std::mt19937 with accessible words: states are read and written as bytes, and many
/// numbers are drawn at once.
class MersenneTwister {
 public:
  static constexpr uint32_t kWords = 624;
  using Words = std::array<uint32_t, kWords>;

  explicit MersenneTwister(uint32_t seed) noexcept;
  /// Restores a state: the next draw returns number `next` of the block `words` or, for kWords, the
  /// first number of the following block. At least one word must not be 0.
  MersenneTwister(const Words& words, uint32_t next) noexcept : words_(words), next_(next) {}

  uint32_t operator()() noexcept {
    if (next_ == kWords) twist();
    return temper(words_[next_++]);
  }
  /// Draws the next `count` numbers.
  void fill(uint32_t* out, int64_t count) noexcept;

  const Words& words() const noexcept { return words_; }
  /// Returns how many numbers of the block have been drawn; kWords if the next draw starts a new
  /// one.
  uint32_t next() const noexcept { return next_; }

 private:
  void twist() noexcept;
  static constexpr uint32_t temper(uint32_t word) noexcept {
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    return word ^ word >> 18;
  }

  Words words_;
  uint32_t next_ = kWords;
};

}  // namespace tenon::tensor
