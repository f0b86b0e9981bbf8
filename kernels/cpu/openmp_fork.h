// SPDX-License-Identifier: Apache-2.0
// Note: OpenMP and fork. The OpenMP runtime of a maths library keeps a team of worker threads for
// each thread that has called it. fork() copies the calling thread into the child but not its team.
// GNU's runtime does not notice, and waits forever for the missing workers at the next parallel
// region. A thread that has come through a fork must therefore call such a library with a team of
// one thread.
#pragma once

namespace tenon::kernels::cpu {

// Starts recording which thread comes through a fork. Throws TENON_ERROR_OUT_OF_MEMORY.
void detect_forks();

// Returns true if the calling thread came through a fork, so that its teams do not exist.
bool came_through_fork() noexcept;

// Functions of the OpenMP runtime that a library uses; NULL if it uses none.
struct OpenMp {
  int (*threads)() = nullptr;                // omp_get_max_threads
  void (*set_threads)(int count) = nullptr;  // omp_set_num_threads: for the calling thread only

  static OpenMp of(const char* library) noexcept;
};

// While it exists, the calling thread runs OpenMP regions alone.
class SingleOpenMpThread {
 public:
  explicit SingleOpenMpThread(const OpenMp& runtime) {
    if (runtime.threads == nullptr || runtime.set_threads == nullptr) return;
    threads_before_ = runtime.threads();
    if (threads_before_ == 1) return;
    runtime.set_threads(1);
    set_threads_ = runtime.set_threads;
  }
  ~SingleOpenMpThread() {
    if (set_threads_ != nullptr) set_threads_(threads_before_);
  }
  SingleOpenMpThread(const SingleOpenMpThread&) = delete;
  SingleOpenMpThread& operator=(const SingleOpenMpThread&) = delete;

 private:
  void (*set_threads_)(int count) = nullptr;
  int threads_before_ = 0;
};

// Like SingleOpenMpThread, but only for threads that came through a fork and libraries that use
// OpenMP.
class SingleOpenMpThreadAfterFork {
 public:
  explicit SingleOpenMpThreadAfterFork(const char* library)
      : single_(came_through_fork() ? OpenMp::of(library) : OpenMp()) {}

 private:
  const SingleOpenMpThread single_;
};

}  // namespace tenon::kernels::cpu
