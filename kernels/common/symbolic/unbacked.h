// SPDX-License-Identifier: Apache-2.0
// What only elements tell, of fake tensors: unbacked symbols, in modes with a shape environment.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/symbolic/symbolic_size.h"

namespace tenon::kernels {

// Whether it becomes a symbol here. Elsewhere there is nothing to tell: see fail_without_data().
bool makes_symbols(const tenon_tensor_info& self);

// A size from 0 to `most`, where makes_symbols().
SymbolicSize new_size(int64_t most);

// The element of a tensor of a dtype, where makes_symbols(): owned.
tenon_value new_number(Dtype dtype);

}  // namespace tenon::kernels
