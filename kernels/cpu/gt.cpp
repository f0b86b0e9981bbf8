// SPDX-License-Identifier: Apache-2.0
// aten::gt on the CPU.
#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

struct Gt {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};

Tensor gt(const Tensor& self, const Tensor& other) {
  return binary<Joined<BoolType, RealTypes>>(kGt, self, other, Gt());
}

}  // namespace

void register_gt(Library& aten) {
  aten.impl("gt.Tensor", TENON_KEY_CPU, &gt, quick("cpu::gt", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
