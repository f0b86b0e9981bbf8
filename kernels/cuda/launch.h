// SPDX-License-Identifier: Apache-2.0
// The kernels' launchers: plain C++ between the host code and what nvcc compiles. Asynchronous on
// the given stream; every launcher throws tenon::Error when the launch is refused.
#pragma once

#include <cstdint>

namespace tenon::kernels::cuda {

inline constexpr int kMaxOperands = 4;
inline constexpr int kMaxDims = 64;

// Several operands of one shape, strides in bytes, innermost dim first.
struct Strided {
  int32_t ndim = 0;
  int64_t numel = 0;
  int64_t sizes[kMaxDims];
  int64_t strides[kMaxOperands][kMaxDims];
  char* data[kMaxOperands];
};

// One number, wide enough for any dtype.
struct Number {
  double re = 0;
  double im = 0;
  int64_t i = 0;  // exact for integers
};

using Stream = void*;  // a cudaStream_t

// data[0] = number.
void launch_fill(int32_t dtype, const Strided& walk, Number number, Stream stream);
// data[0] = data[1], converted from `source` to `target` as a cast of a tensor would.
void launch_copy(int32_t target, int32_t source, const Strided& walk, Stream stream);
// out[o] = sum over r of in[outer offset of o + inner offset of r], accumulated in a wide type.
// `outer` walks {out, in} over the results; `inner` walks operand 0 over what is summed, its data
// unused. Both sides have the dtype.
void launch_sum(int32_t dtype, const Strided& outer, const Strided& inner, Stream stream);

}  // namespace tenon::kernels::cuda
