// SPDX-License-Identifier: Apache-2.0
// aten::ne on the CPU.
#include "kernels/cpu/binary.h"

namespace tenon::kernels::cpu {
namespace {

struct Ne {
  template <class T>
  bool operator()(T a, T b) const {
    return a != b;
  }
};

Tensor ne(const Tensor& self, const Tensor& other) {
  return binary<AllTypes>(kNe, self, other, Ne());
}

}  // namespace

void register_ne(Library& aten) {
  aten.impl("ne.Tensor", TENON_KEY_CPU, &ne, quick("cpu::ne", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
