// SPDX-License-Identifier: Apache-2.0
// How many threads can run at once for this process.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon::base {

/// The most threads that work on one region.
constexpr int32_t kMostThreads = 256;

/// The processors that the calling thread may run on, and no more than the quotas of its control
/// groups pay for, rounded up. At least 1.
int32_t processor_count() noexcept;

/// How many processors' time a quota is, rounded up, from the text of a cgroup's `cpu.max`, such as
/// "150000 100000"; 0 for "max" and what is no quota.
int32_t processors_of_quota(std::string_view text) noexcept;

/// The number in a text such as TENON_NUM_THREADS; 0 where it is none from 1 to kMostThreads.
int32_t thread_count_of(std::string_view text) noexcept;

}  // namespace tenon::base
