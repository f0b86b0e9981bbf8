// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/openmp_fork.h"

#include <pthread.h>

#include <atomic>

#include "kernels/common/check.h"
#include "kernels/cpu/lazy_library.h"

namespace tenon::kernels::cpu {
namespace {

// In a child process, the thread that called fork(); 0 if this process was not forked. After that
// thread has ended, a new thread may get the same id and then works alone unnecessarily, which is
// harmless.
constinit std::atomic<pthread_t> thread_through_fork{0};

// Runs in each child process. The lost team may belong to the host's own OpenMP code, so it does
// not matter whether the thread has called a kernel before.
void record_thread() { thread_through_fork.store(pthread_self(), std::memory_order_relaxed); }

}  // namespace

void detect_forks() {
  static constinit std::atomic<bool> watching{false};
  if (watching.exchange(true, std::memory_order_relaxed)) return;
  if (pthread_atfork(nullptr, nullptr, &record_thread) != 0) {
    watching.store(false, std::memory_order_relaxed);
    fail(TENON_ERROR_OUT_OF_MEMORY, {"tenon_cpu: out of memory"});
  }
}

bool came_through_fork() noexcept {
  const pthread_t thread = thread_through_fork.load(std::memory_order_relaxed);
  return thread != 0 && pthread_equal(thread, pthread_self()) != 0;
}

OpenMp OpenMp::of(const char* library) noexcept {
  return {reinterpret_cast<int (*)()>(find_late_symbol(library, "omp_get_max_threads")),
          reinterpret_cast<void (*)(int)>(find_late_symbol(library, "omp_set_num_threads"))};
}

}  // namespace tenon::kernels::cpu
