// SPDX-License-Identifier: Apache-2.0
// aten::copy_ on the CPU.
#include "kernels/ops/copy/copy.h"

#include "kernels/cpu/bind.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void copy_(const Call& call) {
  if (call.tensor(0) == call.tensor(1)) return;
  const tenon_tensor_info target = call.get<Tensor>(0)->info();
  const tenon_tensor_info source = call.get<Tensor>(1)->info();
  check_copy(target, source);
  cast(target, source);
}

struct BoundCopy {
  CastPlan plan;
  void run(void* const* data) const {
    char* const places[] = {static_cast<char*>(data[0]), static_cast<char*>(data[1])};
    plan.run(places);
  }
};

struct BoundNothing {
  void run(void* const*) const {}
};

void capture_copy(const Call& call) {
  if (call.tensor(0) == call.tensor(1))
    return capture_bound(call, std::make_unique<BoundNothing>());
  const tenon_tensor_info target = call.get<Tensor>(0)->info();
  const tenon_tensor_info source = call.get<Tensor>(1)->info();
  check_copy(target, source);
  capture_bound(call, std::make_unique<BoundCopy>(BoundCopy{CastPlan(target, source)}));
}

}  // namespace

Operator operator_kCopyInPlace() { return routine_of<ops::kCopyInPlace, &copy_>(); }

tenon_status bind_copy(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                       tenon_bound* out_bound) {
  return bind_routine<&capture_copy>(ctx, op, keys, stack, out_bound);
}

}  // namespace tenon::kernels::cpu
