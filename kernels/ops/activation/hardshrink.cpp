// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::softshrink.
#include "kernels/ops/activation/hardshrink.h"

#include "kernels/common/check.h"

namespace tenon::kernels::ops {

void check_lambd(const Args& args, tenon_dtype) {
  const double lambd = args.factor<double>(1, "lambd");
  if (!(lambd >= 0)) fail_argument(args.op(), "lambd", ">= 0", Scalar(lambd));
}

}  // namespace tenon::kernels::ops
