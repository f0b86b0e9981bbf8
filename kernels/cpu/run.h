// SPDX-License-Identifier: Apache-2.0
// Up to which size CPU kernels are quick.
#pragma once

#include <cstdint>

namespace tenon::kernels::cpu {

// Up to this many elements our kernels are quicker than a switch of threads.
inline constexpr int64_t kQuickNumel = 32768;

}  // namespace tenon::kernels::cpu
