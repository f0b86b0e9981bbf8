// SPDX-License-Identifier: Apache-2.0
// Interface of a shared library of peers: loops of calls that call_bench times in its own process.
#pragma once

#include <stdint.h>

// A benchmark row, in which exactly one of the two functions is set.
struct tenon_bench_peer {
  const char* name = nullptr;
  void (*run)(int64_t calls) = nullptr;
  // Returns the seconds of the measured part of all calls together, by the clock of thread_clock.h.
  double (*timed)(int64_t calls) = nullptr;
};

// Number of names in a peer's registry, equal to the number that many_operators registers.
constexpr int kTenonBenchNames = 100000;

// Every peer library exports this: an array that ends with a NULL name.
extern "C" __attribute__((visibility("default"))) const tenon_bench_peer* tenon_bench_peers();
