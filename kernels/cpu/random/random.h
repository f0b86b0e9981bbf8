// SPDX-License-Identifier: Apache-2.0
// Numbers of a CPU generator for the elements of tensors.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/common/maths/element.h"
#include "kernels/common/walk.h"

namespace tenon::kernels::cpu {

// Returns the generator to draw from: the CPU's default one if it is absent. Throws for a generator
// of another device.
Generator generator_for(const char* op, const std::optional<Generator>& generator);

// Returns a walk over all elements in the order of memory, in which they get their numbers.
Walk walk_in_memory_order(const tenon_tensor_info& self);

// A known count of numbers (uint32_t) or normal samples (double), drawn on demand.
template <class Drawn>
class Draws {
 public:
  Draws(const Generator& generator, int64_t count) : generator_(generator), left_(count) {}

  // Returns at most `most` of the next numbers; at least 2 if `most` and the remaining count allow
  // it.
  std::span<const Drawn> take(int64_t most) {
    if (at_ == drawn_) {
      at_ = 0;
      drawn_ = std::min(left_, kMost);
      left_ -= drawn_;
      draw({numbers_, static_cast<size_t>(drawn_)});
    }
    const int64_t taken = std::min(most, drawn_ - at_);
    const Drawn* first = numbers_ + at_;
    at_ += taken;
    return {first, static_cast<size_t>(taken)};
  }

 private:
  static constexpr int64_t kMost = 1024;  // even: both numbers of a pair are drawn together

  void draw(std::span<uint32_t> numbers) const { generator_.random(numbers); }
  void draw(std::span<double> samples) const { generator_.normal(samples); }

  const Generator& generator_;
  int64_t left_;
  int64_t drawn_ = 0;
  int64_t at_ = 0;
  Drawn numbers_[kMost];
};

// Number of 32-bit numbers for a uniform float or double.
template <class Float>
inline constexpr int64_t kNumbersPerUniform = std::is_same_v<Float, double> ? 2 : 1;

// Returns the uniform number in [0, 1) with the precision of Float.
template <class Float>
Float unit_uniform(const uint32_t* numbers) {
  if constexpr (std::is_same_v<Float, double>) {
    const uint64_t bits = uint64_t{numbers[0]} << 32 | numbers[1];
    return static_cast<double>(bits & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
  } else {
    // Signed, because a single instruction converts it.
    return static_cast<float>(static_cast<int32_t>(numbers[0] & 0xffffffu)) * 0x1p-24f;
  }
}

// Computes number * factor + term, rounded once as in PyTorch's kernels; often it is the number
// itself.
template <class Float>
class Affine {
 public:
  Affine(double factor, double term)
      : factor_(static_cast<Float>(factor)), term_(static_cast<Float>(term)) {}
  Float operator()(Float number) const {
    return factor_ == 1 && term_ == 0 ? number : std::fma(number, factor_, term_);
  }

 private:
  Float factor_;
  Float term_;
};

}  // namespace tenon::kernels::cpu
