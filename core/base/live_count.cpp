// SPDX-License-Identifier: Apache-2.0
// Counts of the process's live handles, by kind, for leak checks.
#include "base/live_count.h"

namespace tenon::base {

int64_t live_count(uint32_t kind) noexcept {
  if (kind >= kHandleCount) return -1;
  int64_t total = no_thread_record.live[kind].load(std::memory_order_relaxed);
  for (const ThreadRecord* thread = first_thread_record(); thread != nullptr;
       thread = thread->next) {
    total += thread->live[kind].load(std::memory_order_relaxed);
  }
  return total;
}

const char* live_name(uint32_t kind) noexcept {
  constexpr const char* kNames[kHandleCount] = {
      "error",     "buffer",       "object",       "storage", "tensor",    "schema",
      "library",   "registration", "thread_state", "kernel",  "simulator", "profile",
      "generator", "weak_tensor",  "node",         "hook",    "graph",     "fake_mode"};
  return kind < kHandleCount ? kNames[kind] : nullptr;
}

}  // namespace tenon::base
