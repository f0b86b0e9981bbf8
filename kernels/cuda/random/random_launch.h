// SPDX-License-Identifier: Apache-2.0
// Launchers of kernels that draw random numbers, which are those of PyTorch on CUDA.
#pragma once

#include "kernels/cuda/loops/launch.h"
#include "kernels/cuda/random/philox.h"

namespace tenon::kernels::cuda {

// Returns the number of elements that a thread makes from four numbers.
int64_t drawn_together(bool is_wide);

enum class Distribution { Uniform, Normal, Exponential, Cauchy, Geometric, LogNormal, Bernoulli };

// data[0] = numbers of a distribution with up to two parameters: from and to, mean and standard
// deviation, rate, median and sigma, or probability.
void launch_distribution(const char* op, Distribution which, int32_t dtype, const Strided& walk,
                         double a, double b, const PhiloxOffset& place, Stream stream);
// data[0] = 1 with the probability data[1] at the same index, otherwise 0.
void launch_bernoulli(const char* op, int32_t dtype, int32_t probabilities, const Strided& walk,
                      const PhiloxOffset& place, Stream stream);
// data[0] = one of `count` integers from `first` on; a count of 0 means 2^64. Wide integers are
// drawn from 64 bits.
void launch_integers(const char* op, int32_t dtype, const Strided& walk, int64_t first,
                     uint64_t count, bool is_wide, const PhiloxOffset& place, Stream stream);

}  // namespace tenon::kernels::cuda
