// SPDX-License-Identifier: Apache-2.0
// Functions of glibc 2.30 and 2.32 that the C++ library calls, for shipped libraries on older ones.
#include <errno.h>
#include <pthread.h>
#include <time.h>

// Atomic counts of references are plain while it is not zero.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

// std::condition_variable waits until a time of the steady clock, which older ones do not know:
// the same length of time, by the clock that they know. It may be set while this waits; callers
// look at their own clock and wait again, as after any early end of a wait.
__attribute__((visibility("hidden"))) int pthread_cond_clockwait(pthread_cond_t* condition,
                                                                 pthread_mutex_t* mutex,
                                                                 clockid_t clock,
                                                                 const struct timespec* until) {
  const long second = 1000000000;  // nanoseconds
  struct timespec now, there;
  if (clock_gettime(clock, &now) != 0) {
    return EINVAL;
  }
  clock_gettime(CLOCK_REALTIME, &there);
  there.tv_sec += until->tv_sec - now.tv_sec;
  there.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (there.tv_nsec < 0) {
    there.tv_nsec += second;
    --there.tv_sec;
  } else if (there.tv_nsec >= second) {
    there.tv_nsec -= second;
    ++there.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &there);
}
