// SPDX-License-Identifier: Apache-2.0
// What loading a shared library costs a process: nanoseconds, page faults, bytes made its own.
#include <dlfcn.h>
#include <sys/resource.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

// KiB of memory that no other process shares.
long private_kib() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string word; rollup >> word;) {
    long kib = 0;
    if (word == "Private_Dirty:" && rollup >> kib) return kib;
  }
  std::fprintf(stderr, "load_cost: /proc/self/smaps_rollup has no Private_Dirty\n");
  std::exit(1);
}

}  // namespace

// Takes the library, and libraries that are loaded before it and not counted.
int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "load_cost: takes LIBRARY [LOADED-BEFORE...]\n");
    return 2;
  }
  private_kib();
  for (int i = argc - 1; i >= 1; --i) {
    const long memory = private_kib();
    const long faults = page_faults();
    const double start = now();
    if (dlopen(argv[i], RTLD_NOW | RTLD_LOCAL) == nullptr) {
      std::fprintf(stderr, "load_cost: %s\n", dlerror());
      return 1;
    }
    const double end = now();
    const long faulted = page_faults() - faults;
    if (i == 1) std::printf("%.0f %ld %ld\n", end - start, faulted, private_kib() - memory);
  }
}
