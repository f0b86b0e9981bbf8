// SPDX-License-Identifier: Apache-2.0
// aten::relu on the CPU.
#include "kernels/cpu/unary.h"

namespace tenon::kernels::cpu {
namespace {

struct Relu {
  template <class T>
  T operator()(T x) const {
    return x < T(0) ? T(0) : x;
  }
};

Tensor relu(const Tensor& self) { return unary<RealTypes>(kRelu, self, Relu{}); }

}  // namespace

void register_relu(Library& aten) {
  aten.impl("relu", TENON_KEY_CPU, &relu, quick("cpu::relu", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
