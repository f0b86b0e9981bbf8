// SPDX-License-Identifier: Apache-2.0
// Numbers that look random and are the same in each run, so that a check can be repeated.
#pragma once

#include <cmath>
#include <cstdint>

#include "gradcheck/jacobian.h"

namespace tenon::gradcheck {

class CheckRandom {
 public:
  /// In [-1, 1).
  double next() noexcept {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(static_cast<int64_t>(state_) >> 11) * 0x1p-52;
  }
  Numbers numbers(size_t count) {
    Numbers made(count);
    for (double& number : made) number = next();
    return made;
  }
  /// Positive ones, whose squares add up to 1.
  Numbers weights(size_t count) {
    Numbers made(count);
    double squares = 0;
    for (double& number : made) {
      number = 0.55 + 0.45 * next();
      squares += number * number;
    }
    for (double& number : made) number /= std::sqrt(squares);
    return made;
  }
  /// Of a tensor: complex where it is.
  Elements elements(const tensor::Tensor& tensor) {
    Elements made(static_cast<size_t>(tensor.numel()));
    const bool is_complex = tensor::is_complex(tensor.dtype());
    for (auto& element : made) element = {next(), is_complex ? next() : 0};
    return made;
  }

 private:
  uint64_t state_ = 20240607;
};

}  // namespace tenon::gradcheck
