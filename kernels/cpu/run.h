// SPDX-License-Identifier: Apache-2.0
// Largest size up to which CPU kernels are declared not to block.
#pragma once

#include <cstdint>

namespace tenon::kernels::cpu {

// Up to this number of elements our kernels are faster than a thread switch.
inline constexpr int64_t kQuickNumel = 32768;

}  // namespace tenon::kernels::cpu
