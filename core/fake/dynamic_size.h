// SPDX-License-Identifier: Apache-2.0
// Data-dependent sizes, which fake kernels create.
#pragma once

#include "tenon/value.h"

namespace tenon::fake {

/// Returns an owned unbacked SymInt from `min` to `max`. Throws like tenon_fake_new_size.
tenon_value new_dynamic_size(int64_t min, int64_t max);

}  // namespace tenon::fake
