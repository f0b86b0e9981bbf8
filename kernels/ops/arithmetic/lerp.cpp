// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::lerp.
#include "kernels/ops/arithmetic/lerp.h"

#include "kernels/common/maths/element.h"

namespace tenon::kernels::ops {
namespace {

void check_like_self(const Args& args, int k, const char* name) {
  const auto self = static_cast<Dtype>(tenon_tensor_dtype(args[0].as.tensor));
  const auto other = static_cast<Dtype>(tenon_tensor_dtype(args[k].as.tensor));
  if (self != other) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {args.op(), ": ", name, " must be ", self, " like self, got ", other});
  }
}

}  // namespace

void check_ends(const Args& args, tenon_dtype dtype) {
  check_like_self(args, 1, "end");
  check_factor(args, 2, "weight", dtype);
}

void check_ends_and_weight(const Args& args, tenon_dtype) {
  check_like_self(args, 1, "end");
  if (tenon_tensor_ndim(args[2].as.tensor) != 0) check_like_self(args, 2, "weight");
}

}  // namespace tenon::kernels::ops
