// SPDX-License-Identifier: Apache-2.0
// aten::argmax on the CPU.
#include "kernels/ops/argmax.h"

#include "kernels/common/registrar.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/run.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
struct ArgMax {
  using In = T;
  struct State {
    Compute<T> value;
    int64_t index;  // -1 before the first element
  };
  using Out = int64_t;

  State start() const { return {Compute<T>(0), -1}; }
  State step(State state, Compute<T> element, int64_t index) const {
    return beats(element, state) ? State{element, index} : state;
  }
  State merge(State a, State b) const { return b.index >= 0 && beats(b.value, a) ? b : a; }
  int64_t finish(State state) const { return state.index; }

  static bool beats(Compute<T> element, const State& state) {
    if (state.index < 0) return true;
    if (state.value != state.value) return false;  // the first NaN stays
    return element > state.value || element != element;
  }
};

Tensor argmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  Reduction plan("aten::argmax");
  plan_argmax(plan, self, dim, keepdim);
  plan.walk_over(self.info(), /*in_order=*/true);
  visit(plan.op(), "self", self.dtype(), RealTypes(),
        [&]<class T>(Element<T>) { reduce<1>(plan, ArgMax<T>()); });
  return plan.take_result();
}

}  // namespace

void register_argmax(Library& aten) {
  aten.impl("argmax", TENON_KEY_CPU, &argmax, quick("cpu::argmax", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
