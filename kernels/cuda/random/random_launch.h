// SPDX-License-Identifier: Apache-2.0
// Launchers of kernels that draw random numbers, which are PyTorch's on CUDA.
#pragma once

#include "kernels/cuda/loops/launch.h"
#include "kernels/cuda/random/philox.h"

namespace tenon::kernels::cuda {

// What elements of a dtype are drawn from: each thread makes so many of them of four numbers.
int64_t drawn_together(bool is_wide);

enum class Distribution { Uniform, Normal, Exponential, Cauchy, Geometric, LogNormal, Bernoulli };

// data[0] = numbers of a distribution with two parameters at most: from and to, mean and deviation,
// rate, median and sigma, probability.
void launch_distribution(const char* op, Distribution which, int32_t dtype, const Strided& walk,
                         double a, double b, const PhiloxPlace& place, Stream stream);
// data[0] = 1 with the probability data[1], else 0; at the same indices.
void launch_bernoulli(const char* op, int32_t dtype, int32_t probabilities, const Strided& walk,
                      const PhiloxPlace& place, Stream stream);
// data[0] = integers from `first` on, `count` of them; 0 stands for 2^64. Wide ones are drawn with
// 64 bits.
void launch_integers(const char* op, int32_t dtype, const Strided& walk, int64_t first,
                     uint64_t count, bool is_wide, const PhiloxPlace& place, Stream stream);

}  // namespace tenon::kernels::cuda
