// SPDX-License-Identifier: Apache-2.0
// aten::ge on the CPU.
#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

struct Ge {
  template <class T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};

Tensor ge(const Tensor& self, const Tensor& other) {
  return binary<Joined<BoolType, RealTypes>>(kGe, self, other, Ge());
}

}  // namespace

void register_ge(Library& aten) {
  aten.impl("ge.Tensor", TENON_KEY_CPU, &ge, quick("cpu::ge", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
