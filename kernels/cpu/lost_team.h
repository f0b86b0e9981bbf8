// SPDX-License-Identifier: Apache-2.0
// Note: OpenMP and fork. The OpenMP runtime of a maths library keeps a team of worker threads for
// each thread that has called it. fork() copies the calling thread into the child but not its team.
// GNU's runtime does not notice, and waits forever for the missing workers at the next parallel
// region. A thread that has come through a fork must therefore call such a library with a team of
// one thread.
#pragma once

namespace tenon::kernels::cpu {

// Starts recording which thread comes through a fork. Throws TENON_ERROR_OUT_OF_MEMORY.
void watch_forks();

// Returns true if the calling thread came through a fork, so that its teams do not exist.
bool has_lost_teams() noexcept;

// Functions of the OpenMP runtime that a library uses; NULL if it uses none.
struct OpenMp {
  int (*threads)() = nullptr;                // omp_get_max_threads
  void (*set_threads)(int count) = nullptr;  // omp_set_num_threads: for the calling thread only

  static OpenMp of(const char* library) noexcept;
};

// While it exists, the calling thread runs OpenMP regions alone.
class AloneInOpenMp {
 public:
  explicit AloneInOpenMp(const OpenMp& runtime) {
    if (runtime.threads == nullptr || runtime.set_threads == nullptr) return;
    threads_before_ = runtime.threads();
    if (threads_before_ == 1) return;
    runtime.set_threads(1);
    set_threads_ = runtime.set_threads;
  }
  ~AloneInOpenMp() {
    if (set_threads_ != nullptr) set_threads_(threads_before_);
  }
  AloneInOpenMp(const AloneInOpenMp&) = delete;
  AloneInOpenMp& operator=(const AloneInOpenMp&) = delete;

 private:
  void (*set_threads_)(int count) = nullptr;
  int threads_before_ = 0;
};

// Like AloneInOpenMp, but only for threads that came through a fork and libraries that use OpenMP.
class AloneAfterFork {
 public:
  explicit AloneAfterFork(const char* library)
      : alone_(has_lost_teams() ? OpenMp::of(library) : OpenMp()) {}

 private:
  const AloneInOpenMp alone_;
};

}  // namespace tenon::kernels::cpu
