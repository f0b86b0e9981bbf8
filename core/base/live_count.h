// SPDX-License-Identifier: Apache-2.0
// Counts of the process's live handles, by kind, for leak checks.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread.h"
#include "tenon/common.h"

namespace tenon::base {

/// Adds `delta` to the count of a kind (TENON_HANDLE_*). Counts are kept per thread and summed on
/// request, so that threads do not contend; one thread's share may be negative.
inline void count_live(uint32_t kind, int64_t delta) noexcept {
  std::atomic<int64_t>& mine = current_thread()->live[kind];
  if (has_thread_record()) {
    mine.store(mine.load(std::memory_order_relaxed) + delta, std::memory_order_relaxed);
  } else {
    mine.fetch_add(delta, std::memory_order_relaxed);
  }
}

/// Returns the number of live handles of a kind, -1 for an unknown kind.
int64_t live_count(uint32_t kind) noexcept;

/// Returns "tensor" and so on, NULL for an unknown kind.
const char* live_name(uint32_t kind) noexcept;

}  // namespace tenon::base
