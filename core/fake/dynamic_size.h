// SPDX-License-Identifier: Apache-2.0
// Sizes that only elements tell, as fake kernels make them.
#pragma once

#include "tenon/value.h"

namespace tenon::fake {

/// An owned SymInt, unbacked and from `min` to `max`. Throws as tenon_fake_new_size.
tenon_value new_dynamic_size(int64_t min, int64_t max);

}  // namespace tenon::fake
