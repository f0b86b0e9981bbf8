// SPDX-License-Identifier: Apache-2.0
// Philox 4x32 with 10 rounds, a counter-based random number generator: "Parallel random numbers: as
// easy as 1, 2, 3", Salmon, Moraes, Dror and Shaw, 2011. The counter layout is that of cuRAND.
#pragma once

#include <cstdint>

#include "kernels/common/maths/element_types.h"

namespace tenon::kernels::cuda {

struct PhiloxNumbers {
  uint32_t at[4];
};

// Returns the four numbers of block `block` of one of 2^64 sequences of a seed.
TENON_FUNCTOR inline PhiloxNumbers philox(uint64_t seed, uint64_t sequence, uint64_t block) {
  auto key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  PhiloxNumbers c{{static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                   static_cast<uint32_t>(sequence), static_cast<uint32_t>(sequence >> 32)}};
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{0xd2511f53} * c.at[0];
    const uint64_t second = uint64_t{0xcd9e8d57} * c.at[2];
    c = {{static_cast<uint32_t>(second >> 32) ^ c.at[1] ^ key0, static_cast<uint32_t>(second),
          static_cast<uint32_t>(first >> 32) ^ c.at[3] ^ key1, static_cast<uint32_t>(first)}};
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  return c;
}

// The numbers that a launch draws: thread i uses sequence i of the seed, starting with block
// `block`.
struct PhiloxOffset {
  uint64_t seed;
  uint64_t block;
  int64_t threads;
};

}  // namespace tenon::kernels::cuda
