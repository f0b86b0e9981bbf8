// SPDX-License-Identifier: Apache-2.0
// aten::eq on the CPU.
#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

struct Eq {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};

Tensor eq(const Tensor& self, const Tensor& other) {
  return binary<AllTypes>(kEq, self, other, Eq());
}

}  // namespace

void register_eq(Library& aten) {
  aten.impl("eq.Tensor", TENON_KEY_CPU, &eq, quick("cpu::eq", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
