// SPDX-License-Identifier: Apache-2.0
// The CPU's generator: a Mersenne twister that one thread at a time draws from.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "tensor/generator.h"
#include "tensor/mersenne_twister.h"

namespace tenon::tensor {

/// A fork waits until draws have ended, so that a child finds each generator intact and unlocked.
class CpuGenerator final : public Generator {
 public:
  CpuGenerator(uint64_t seed, Counted counted);
  ~CpuGenerator() override;

  void seed(uint64_t seed) override;
  uint64_t initial_seed() const noexcept override;
  int64_t state(void* data, int64_t capacity) const override;
  void set_state(const void* data, int64_t nbytes) override;
  void random(uint32_t* out, int64_t count) override;
  void normal(double* out, int64_t count) override;

 private:
  friend class CpuGenerators;

  mutable std::mutex mutex_;  // held for one draw
  MersenneTwister engine_;
  uint64_t seed_;
  std::optional<double> spare_;  // the second sample of a pair of which only the first was drawn
  // Neighbors in the list of all CPU generators; managed by CpuGenerators.
  CpuGenerator* previous_ = nullptr;
  CpuGenerator* following_ = nullptr;
};

}  // namespace tenon::tensor
