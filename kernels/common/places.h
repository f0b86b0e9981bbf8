// SPDX-License-Identifier: Apache-2.0
// Shared checks of aten::gather and aten::scatter: an index tensor whose elements are positions
// along one dim of a tensor.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// Returns `dim` wrapped. Throws unless `index` holds integers, has the number of dims of `self`,
// and is no larger than `self` along the other dims. 0-dim tensors count as vectors of size 1.
int64_t check_places(const char* op, const tenon_tensor_info& self, int64_t dim,
                     const tenon_tensor_info& index);

// Throws unless `src` has the dtype and number of dims of `self`, and is at least as large as
// `index`.
void check_source(const char* op, const tenon_tensor_info& self, const tenon_tensor_info& index,
                  const tenon_tensor_info& src);

}  // namespace tenon::kernels
