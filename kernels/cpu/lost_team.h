// SPDX-License-Identifier: Apache-2.0
// OpenMP and forks. A maths library's OpenMP runtime keeps a team of threads for each thread that
// called it. A child process has the caller but not the team, and GNU's runtime waits for it there
// for ever: such a caller has to work alone.
#pragma once

namespace tenon::kernels::cpu {

// Notes which thread comes through each fork from now on. Throws TENON_ERROR_OUT_OF_MEMORY.
void watch_forks();

// Whether the calling thread has come through a fork: its teams are gone.
bool has_lost_teams() noexcept;

// The functions of the OpenMP runtime that a library uses, NULL without one.
struct OpenMp {
  int (*threads)() = nullptr;                // omp_get_max_threads
  void (*set_threads)(int count) = nullptr;  // omp_set_num_threads: of the calling thread alone

  static OpenMp of(const char* library) noexcept;
};

// While it lives, an OpenMP runtime gives the calling thread no team: it works alone.
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

// The same, for threads that have come through a fork. Other threads, and libraries without OpenMP,
// are not concerned.
class AloneAfterFork {
 public:
  explicit AloneAfterFork(const char* library)
      : alone_(has_lost_teams() ? OpenMp::of(library) : OpenMp()) {}

 private:
  const AloneInOpenMp alone_;
};

}  // namespace tenon::kernels::cpu
