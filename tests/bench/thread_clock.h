// SPDX-License-Identifier: Apache-2.0
// The clock of rows that time themselves, for Tenon and peers.
#pragma once

#include <time.h>

// Returns the seconds that this thread has run, which exclude other work on the machine.
inline double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
