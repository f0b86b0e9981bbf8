// SPDX-License-Identifier: Apache-2.0
// Data-dependent sizes of fake tensors: unbacked symbols, in modes with a shape environment.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/symbolic/symbolic_size.h"

namespace tenon::kernels {

// Returns true if a data-dependent number of `self` becomes a symbol. Otherwise the operator fails:
// see fail_without_data().
bool makes_symbols(const tenon_tensor_info& self);

// Returns a new unbacked size from 0 to `most`. Requires makes_symbols().
SymbolicSize new_size(int64_t most);

// Returns a new unbacked symbol for an element of this dtype, as a new reference. Requires
// makes_symbols().
tenon_value new_number(Dtype dtype);

}  // namespace tenon::kernels
