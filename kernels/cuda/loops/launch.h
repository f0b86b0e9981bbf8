// SPDX-License-Identifier: Apache-2.0
// The kernels' launchers: a plain C++ interface between host code and code compiled by nvcc. They
// are asynchronous on the given stream and throw tenon::Error if the launch fails.
#pragma once

#include <cstdint>

#include "kernels/common/facts.h"

namespace tenon::kernels::cuda {

inline constexpr int kMaxDims = 64;
inline constexpr int kWidest = 16;  // size of the widest element in bytes
inline constexpr int kDtypes = TENON_DTYPE_U64 + 1;

// Several operands of one shape. Strides are in bytes, innermost dim first.
struct Strided {
  int32_t ndim = 0;
  int64_t numel = 0;
  int64_t sizes[kMaxDims];
  int64_t strides[kMaxOperands][kMaxDims];
  char* data[kMaxOperands] = {};
  // The single element of an operand without data, which is on the CPU. It is passed as a launch
  // parameter, in the type that functors take.
  alignas(kWidest) char elements[kMaxOperands][kWidest];
};

using Stream = void*;  // a cudaStream_t

// data[0] = data[1], moved as bits of the dtype's size.
void launch_move(const char* op, int32_t dtype, const Strided& walk, Stream stream);
// data[0] = data[1], converted from `source` to `target` like a cast of a tensor.
void launch_cast(const char* op, int32_t target, int32_t source, const Strided& walk,
                 Stream stream);

// The launch parameters of a fold.
struct FoldLaunch {
  const char* op;
  // The walk over the kept dims: operand k is result k, and the last operand is the input. `folded`
  // is the walk over the folded dims, whose data is unused.
  Strided kept;
  Strided folded;
  int results;
  int32_t dtypes[2];  // of the results
  // true: each result is computed by one thread, because adjacent results read adjacent elements;
  // false: by a block.
  bool by_thread;
  // Number of parts that each fold is split into. The parts' states go to `states` if there are
  // several.
  int64_t parts;
  char* states;
  Stream stream;
};

}  // namespace tenon::kernels::cuda
