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

// While it lives, the OpenMP runtime of a library gives a thread that has come through a fork no
// team. Other threads, and libraries without OpenMP, are not concerned.
class AloneAfterFork {
 public:
  explicit AloneAfterFork(const char* library) {
    if (has_lost_teams()) [[unlikely]]
      begin(library);
  }
  ~AloneAfterFork() {
    if (set_threads_ != nullptr) [[unlikely]]
      set_threads_(threads_before_);
  }
  AloneAfterFork(const AloneAfterFork&) = delete;
  AloneAfterFork& operator=(const AloneAfterFork&) = delete;

 private:
  void begin(const char* library) noexcept;

  void (*set_threads_)(int count) = nullptr;  // omp_set_num_threads: of the calling thread alone
  int threads_before_ = 0;
};

}  // namespace tenon::kernels::cpu
