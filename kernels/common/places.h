// SPDX-License-Identifier: Apache-2.0
// What aten::gather and aten::scatter share: places along one dim of a tensor, one for each element
// of an index tensor.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// Throws unless `index` holds integers, has the dims of `self`, and no more elements than it along
// the other dims; wraps `dim`. 0-dim tensors count as vectors of one.
int64_t check_places(const char* op, const tenon_tensor_info& self, int64_t dim,
                     const tenon_tensor_info& index);

// Throws unless `src` has the dtype and dims of `self`, and an element for each of `index`.
void check_source(const char* op, const tenon_tensor_info& self, const tenon_tensor_info& index,
                  const tenon_tensor_info& src);

}  // namespace tenon::kernels
