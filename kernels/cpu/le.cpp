// SPDX-License-Identifier: Apache-2.0
// aten::le on the CPU.
#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

struct Le {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};

Tensor le(const Tensor& self, const Tensor& other) {
  return binary<Joined<BoolType, RealTypes>>(kLe, self, other, Le());
}

}  // namespace

void register_le(Library& aten) {
  aten.impl("le.Tensor", TENON_KEY_CPU, &le, quick("cpu::le", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
