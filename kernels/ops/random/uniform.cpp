// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::uniform_, and the implementation of aten::uniform.
#include "kernels/ops/random/uniform.h"

#include "kernels/common/overlap.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/factories/fill.h"

namespace tenon::kernels {
namespace {

// Refuses a bound outside the dtype's range, including NaN.
void check_bound(const char* op, const char* name, double bound, double largest, Dtype dtype) {
  if (!(bound >= -largest && bound <= largest)) {
    fail_argument(op, name, std::string("within the range of ") + name_of(dtype), Scalar(bound));
  }
}

}  // namespace

void check_uniform(const char* op, const tenon_tensor_info& self, double from, double to) {
  check_fill_target(op, self);
  check_no_internal_overlap(op, self);
  const Dtype dtype = dtype_of_info(self);
  visit(op, "self", dtype, FloatAndComplexTypes(), [&]<class T>(Element<T>) {
    constexpr double kLargest = largest_finite<Real<T>>();
    check_bound(op, "from", from, kLargest, dtype);
    check_bound(op, "to", to, kLargest, dtype);
    if (from > to) {
      fail_argument(op, "from", std::string("at most to, ") + Part(Scalar(to)).text(),
                    Scalar(from));
    }
    if (to - from > kLargest) {
      fail_argument(op, "to - from", std::string("within the range of ") + name_of(dtype),
                    Scalar(to - from));
    }
  });
}

namespace ops {

void uniform(const Call& call) {
  const tenon_tensor_info like = call.get<Tensor>(0)->info();
  Tensor made = empty_in_format(call.op(), like, MemoryFormat::Preserve, options_like(like, {}));
  call_uniform(made, call.get<double>(1), call.get<double>(2),
               call.get<std::optional<Generator>>(3));
  call.give(0, std::move(made));
}

}  // namespace ops

}  // namespace tenon::kernels
