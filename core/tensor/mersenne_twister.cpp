// SPDX-License-Identifier: Apache-2.0
#include "tensor/mersenne_twister.h"

#include <algorithm>

namespace tenon::tensor {

namespace {

constexpr uint32_t kShift = 397;

// Computes the word that follows from the top bit of `word`, the other bits of `following`, and
// `shifted`.
constexpr uint32_t mix(uint32_t word, uint32_t following, uint32_t shifted) noexcept {
  const uint32_t joined = (word & 0x80000000u) | (following & 0x7fffffffu);
  return shifted ^ joined >> 1 ^ (-(following & 1u) & 0x9908b0dfu);
}

}  // namespace

MersenneTwister::MersenneTwister(uint32_t seed) noexcept {
  words_[0] = seed;
  for (uint32_t i = 1; i < kWords; ++i) {
    words_[i] = 1812433253u * (words_[i - 1] ^ words_[i - 1] >> 30) + i;
  }
}

void MersenneTwister::twist() noexcept {
  uint32_t* words = words_.data();
  constexpr uint32_t kWrapped = kWords - kShift;
  for (uint32_t i = 0; i < kWrapped; ++i) {
    words[i] = mix(words[i], words[i + 1], words[i + kShift]);
  }
  for (uint32_t i = kWrapped; i < kWords - 1; ++i) {
    words[i] = mix(words[i], words[i + 1], words[i - kWrapped]);
  }
  words[kWords - 1] = mix(words[kWords - 1], words[0], words[kShift - 1]);
  next_ = 0;
}

void MersenneTwister::fill(uint32_t* out, int64_t count) noexcept {
  while (count > 0) {
    if (next_ == kWords) twist();
    const int64_t taken = std::min<int64_t>(count, kWords - next_);
    const uint32_t* words = words_.data() + next_;
    for (int64_t i = 0; i < taken; ++i) out[i] = temper(words[i]);
    out += taken;
    count -= taken;
    next_ += static_cast<uint32_t>(taken);
  }
}

}  // namespace tenon::tensor
