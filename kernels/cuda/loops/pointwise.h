// SPDX-License-Identifier: Apache-2.0
// The table of launchers of a pointwise operator on CUDA.
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

// Launches a functor over operands of one dtype. `args` are the arguments that it is made from.
using Launch = void (*)(const Strided& walk, const Args& args, Stream stream);

void run_pointwise(const PointwiseKernel& kernel, Elementwise& plan, const Call& call, int variant);

// Its first members are those of PointwiseKernel. Launchers of unsupported dtypes are NULL.
template <int kVariants>
struct PointwiseTable {
  void (*run)(const PointwiseKernel& kernel, Elementwise& plan, const Call& call,
              int variant) = &run_pointwise;
  void (*run_flat)(const PointwiseKernel& kernel, const Call& call, int variant, tenon_dtype dtype,
                   char* const* data, int64_t numel) = nullptr;
  DtypeSet flat = 0;  // empty: all calls are planned
  Launch launches[kVariants][kDtypes] = {};
};

}  // namespace tenon::kernels::cuda
