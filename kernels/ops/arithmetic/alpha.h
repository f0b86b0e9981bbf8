// SPDX-License-Identifier: Apache-2.0
// The factor `alpha` of aten::add and aten::sub.
#pragma once

#include "kernels/common/args.h"

namespace tenon::kernels::ops {

// Returns the variant: 0 for an alpha of 1, which is the common case and needs no factor; 1
// otherwise.
inline int alpha_variant(const Args& args) { return args.is_one(2) ? 0 : 1; }
inline void check_alpha(const Args& args, tenon_dtype dtype) {
  check_number(args, 2, "alpha", dtype);
}

}  // namespace tenon::kernels::ops
