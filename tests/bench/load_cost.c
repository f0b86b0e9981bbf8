/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures what loading a shared library costs a process with only the C library: nanoseconds, page
 * faults, and KiB of private memory. Arguments: the library, then libraries that are loaded first
 * without being measured.
 */
#define _GNU_SOURCE /* clocks and page faults */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static long page_faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

static long private_kib(void) {
  FILE* rollup = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  long kib = -1;
  while (rollup != NULL && kib < 0 && fgets(line, sizeof line, rollup) != NULL) {
    sscanf(line, "Private_Dirty: %ld kB", &kib);
  }
  if (kib < 0) {
    fprintf(stderr, "load_cost: /proc/self/smaps_rollup must have Private_Dirty, got none\n");
    exit(1);
  }
  fclose(rollup);
  return kib;
}

int main(int argc, char** argv) {
  int i;
  private_kib(); /* the first run makes pages private that do not belong to the library */
  for (i = argc - 1; i >= 1; --i) {
    const long memory = private_kib(), faults = page_faults();
    const double start = now();
    const void* loaded = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    const double end = now();
    const long faulted = page_faults() - faults;
    if (loaded == NULL) {
      fprintf(stderr, "load_cost: %s\n", dlerror());
      return 1;
    }
    if (i == 1) printf("%.0f %ld %ld\n", end - start, faulted, private_kib() - memory);
  }
  return 0;
}
