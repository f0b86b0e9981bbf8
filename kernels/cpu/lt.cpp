// SPDX-License-Identifier: Apache-2.0
// aten::lt on the CPU.
#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

struct Lt {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};

Tensor lt(const Tensor& self, const Tensor& other) {
  return binary<Joined<BoolType, RealTypes>>(kLt, self, other, Lt());
}

}  // namespace

void register_lt(Library& aten) {
  aten.impl("lt.Tensor", TENON_KEY_CPU, &lt, quick("cpu::lt", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
