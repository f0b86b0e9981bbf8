// SPDX-License-Identifier: Apache-2.0
// A pseudorandom generator with a fixed seed, so that checks are reproducible.
#pragma once

#include <cmath>
#include <cstdint>

#include "gradcheck/jacobian.h"

namespace tenon::gradcheck {

class CheckRandom {
 public:
  /// Returns a number in [-1, 1).
  double next() noexcept {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(static_cast<int64_t>(state_) >> 11) * 0x1p-52;
  }
  Numbers numbers(size_t count) {
    Numbers made(count);
    for (double& number : made) number = next();
    return made;
  }
  /// Returns positive numbers whose squares add up to 1.
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
  /// Returns one element for each element of a tensor; complex if the tensor is.
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
