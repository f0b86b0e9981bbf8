// SPDX-License-Identifier: Apache-2.0
// Used if the build found no library: leaves all convolutions to the other loops.
#include "kernels/cpu/convolution/convolution_float.h"

namespace tenon::kernels::cpu {

bool library_convolution(const char*, ConvolutionStep, const ConvolutionShape&, float*, float*,
                         const float*, float*) {
  return false;
}

}  // namespace tenon::kernels::cpu
