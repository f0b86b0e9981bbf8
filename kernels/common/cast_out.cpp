// SPDX-License-Identifier: Apache-2.0
// Results of composites, cast into the caller's tensor.
#include "kernels/common/cast_out.h"

#include "kernels/common/allocation.h"
#include "kernels/common/promotion.h"
#include "kernels/common/registrar.h"
#include "kernels/common/routine.h"

namespace tenon::kernels {

void give_or_cast(const Call& call, Tensor made) {
  if (call.form.is_functional()) return call.give(0, std::move(made));
  static constinit const LazyOp<void(const Tensor&, const Tensor&, bool)> copy("aten::copy_");
  const Tensor out = Tensor::retain(call.written());
  check_out(call, out.info(), made.device());
  if (!can_cast(made.dtype(), out.dtype())) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": ", call.form.names[call.form.written], " must be of a dtype that ",
          made.dtype(), " can be cast to, got ", out.dtype()});
  }
  if (!std::ranges::equal(out.sizes(), made.sizes())) resize_out(call.op(), out, made.sizes());
  copy(out, made, false);
}

}  // namespace tenon::kernels
