// SPDX-License-Identifier: Apache-2.0
// The kernels' launchers: plain C++ between the host code and what nvcc compiles. Asynchronous on
// the given stream; every launcher throws tenon::Error when the launch is refused.
#pragma once

#include <cstdint>

#include "kernels/common/facts.h"

namespace tenon::kernels::cuda {

inline constexpr int kMaxDims = 64;
inline constexpr int kWidest = 16;  // bytes of an element
inline constexpr int kDtypes = TENON_DTYPE_F8_E4M3FN + 1;

// Several operands of one shape, strides in bytes, innermost dim first.
struct Strided {
  int32_t ndim = 0;
  int64_t numel = 0;
  int64_t sizes[kMaxDims];
  int64_t strides[kMaxOperands][kMaxDims];
  char* data[kMaxOperands] = {};
  // The one element of an operand without data, which was on the CPU: a launch takes it along, as
  // functors take it.
  alignas(kWidest) char elements[kMaxOperands][kWidest];
};

using Stream = void*;  // a cudaStream_t

// data[0] = the element of data[1], whatever they are: as many bytes as the dtype has.
void launch_move(const char* op, int32_t dtype, const Strided& walk, Stream stream);
// data[0] = data[1], converted from `source` to `target` as a cast of a tensor would.
void launch_cast(const char* op, int32_t target, int32_t source, const Strided& walk,
                 Stream stream);

// A fold as a launch takes it.
struct FoldLaunch {
  const char* op;
  // Operand k is result k, the last one what is folded, over what is kept; and that over what is
  // folded, its data unused.
  Strided kept;
  Strided folded;
  int results;
  int32_t dtypes[2];  // of the results
  // Each result is computed by one thread, since neighbours read what lies side by side; else by a
  // block of them.
  bool by_thread;
  // So many parts of what is folded are folded on their own, into `states` where there are several.
  int64_t parts;
  char* states;
  Stream stream;
};

}  // namespace tenon::kernels::cuda
