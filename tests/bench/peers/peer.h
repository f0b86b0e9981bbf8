// SPDX-License-Identifier: Apache-2.0
// What a shared library of peers gives to call_bench: loops of calls, timed in the same process.
#pragma once

#include <stdint.h>

// A row has one of both functions.
struct tenon_bench_peer {
  const char* name = nullptr;
  void (*run)(int64_t calls) = nullptr;
  // Seconds of the part that counts, of all calls together, on the clock of thread_clock.h.
  double (*timed)(int64_t calls) = nullptr;
};

// How many names a registry of a peer holds: as many as many_operators registers.
constexpr int kTenonBenchNames = 100000;

// Every peer library exports this: an array that ends with a NULL name.
extern "C" __attribute__((visibility("default"))) const tenon_bench_peer* tenon_bench_peers();
