// SPDX-License-Identifier: Apache-2.0
// The table of launchers of a fold on CUDA.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/cuda/loops/launch.h"

namespace tenon::kernels {
struct Call;
struct FoldKernel;
class Reduction;
}  // namespace tenon::kernels

namespace tenon::kernels::cuda {

void run_fold(const FoldKernel& kernel, Reduction& plan, const Call& call, tenon_dtype dtype);

// The launcher for elements of one dtype; NULL if the dtype is not supported.
struct FoldType {
  int state_size;  // in bytes
  // `args` are the arguments that the functor is made from.
  void (*launch)(const FoldLaunch& fold, const Args& args);
};

// The first member must be `run`, as in FoldKernel.
struct FoldTable {
  void (*run)(const FoldKernel& kernel, Reduction& plan, const Call& call,
              tenon_dtype dtype) = &run_fold;
  FoldType types[kDtypes] = {};
};

}  // namespace tenon::kernels::cuda
