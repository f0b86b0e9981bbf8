// SPDX-License-Identifier: Apache-2.0
// aten::amax on the CPU.
#include "kernels/common/registrar.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/run.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
struct Max {
  using In = T;
  using State = Compute<T>;
  using Out = T;

  State start() const {
    if constexpr (std::is_floating_point_v<State>) {
      return -std::numeric_limits<State>::infinity();
    } else {
      return std::numeric_limits<State>::lowest();
    }
  }
  State step(State state, State element, int64_t) const { return merge(state, element); }
  State merge(State a, State b) const {
    // The comparison is false for NaN on either side: a NaN as b comes in, one as a stays.
    const State larger = a >= b ? a : b;
    if constexpr (std::is_floating_point_v<State>) return a != a ? a : larger;
    return larger;
  }
  State finish(State state) const { return state; }
};

Tensor amax(const Tensor& self, Sizes dim, bool keepdim) {
  Reduction plan("aten::amax");
  plan.input(self, dim);
  plan.require_elements();
  plan.finish(self.dtype(), keepdim);
  plan.walk_over(self.info(), false);
  visit(plan.op(), "self", self.dtype(), Joined<BoolType, RealTypes>(),
        [&]<class T>(Element<T>) { reduce<32>(plan, Max<T>()); });
  return plan.take_result();
}

}  // namespace

void register_amax(Library& aten) {
  aten.impl("amax", TENON_KEY_CPU, &amax, quick("cpu::amax", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
