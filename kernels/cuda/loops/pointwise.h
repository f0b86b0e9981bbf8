// SPDX-License-Identifier: Apache-2.0
// The table of launchers that a pointwise operator is on CUDA.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/cuda/loops/launch.h"

namespace tenon::kernels {
struct Call;
struct PointwiseKernel;
class Elementwise;
}  // namespace tenon::kernels

namespace tenon::kernels::cuda {

// Launches a functor over operands of one dtype; `args` are what it is made from.
using Launch = void (*)(const Strided& walk, const Args& args, Stream stream);

void run_pointwise(const PointwiseKernel& kernel, Elementwise& plan, const Call& call, int variant);

// Begins as PointwiseKernel does. NULL where a dtype is not taken.
template <int kVariants>
struct PointwiseTable {
  void (*run)(const PointwiseKernel& kernel, Elementwise& plan, const Call& call,
              int variant) = &run_pointwise;
  void (*run_flat)(const PointwiseKernel& kernel, const Call& call, int variant, tenon_dtype dtype,
                   char* const* data, int64_t numel) = nullptr;
  DtypeSet flat = 0;  // all calls are planned
  Launch launches[kVariants][kDtypes] = {};
};

}  // namespace tenon::kernels::cuda
