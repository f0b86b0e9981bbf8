// SPDX-License-Identifier: Apache-2.0
// aten::log on the CPU.
#include "kernels/cpu/unary.h"

namespace tenon::kernels::cpu {
namespace {

struct Log {
  template <class T>
  T operator()(T x) const {
    return std::log(x);
  }
};

Tensor log(const Tensor& self) { return unary<FloatAndComplexTypes>(kLog, self, Log{}); }

}  // namespace

void register_log(Library& aten) {
  aten.impl("log", TENON_KEY_CPU, &log, quick("cpu::log", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
