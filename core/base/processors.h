// SPDX-License-Identifier: Apache-2.0
// The number of threads that can run at once in this process.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon::base {

/// Maximum number of threads that work on one region.
constexpr int32_t kMostThreads = 256;

/// Returns the number of processors that the calling thread may use, limited by the quotas of its
/// control groups, rounded up. At least 1.
int32_t processor_count() noexcept;

/// Returns a quota as a number of processors, rounded up, from the text of a cgroup's `cpu.max`,
/// such as "150000 100000"; 0 for "max" and for invalid text.
int32_t processors_of_quota(std::string_view text) noexcept;

/// Returns the number in a text such as TENON_NUM_THREADS; 0 unless it is from 1 to kMostThreads.
int32_t thread_count_of(std::string_view text) noexcept;

}  // namespace tenon::base
