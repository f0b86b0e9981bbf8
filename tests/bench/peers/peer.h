// SPDX-License-Identifier: Apache-2.0
// What a shared library of peers gives to call_bench: loops of calls, timed in the same process.
#pragma once

#include <stdint.h>

struct tenon_bench_peer {
  const char* name;
  void (*run)(int64_t calls);
};

// How many names a registry of a peer holds: as many as many_operators registers.
constexpr int kTenonBenchNames = 100000;

// Every peer library exports this: an array that ends with a NULL name.
extern "C" __attribute__((visibility("default"))) const tenon_bench_peer* tenon_bench_peers();
