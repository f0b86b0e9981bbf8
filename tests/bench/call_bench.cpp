// SPDX-License-Identifier: Apache-2.0
// The call path from C and C++ under Google Benchmark, with peers from shared libraries.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include "gradients.h"
#include "graphs.h"
#include "layouts.h"
#include "peers/peer.h"
#include "small_tensors.h"

namespace {

// Returns a number of calls that takes at least 50 µs: a power of ten, at most 1000, so that slow
// rows stay fast enough.
int64_t measured_batch(void (*run)(int64_t)) {
  using Clock = std::chrono::steady_clock;
  run(1);
  int64_t batch = 1;
  for (; batch < 1000; batch *= 10) {
    const auto start = Clock::now();
    run(batch);
    if (Clock::now() - start > std::chrono::microseconds(50)) break;
  }
  return batch;
}

// A peer's loop makes its calls inside the shared library, as ours are inside this program. All
// repetitions of a row must use the same batch size: the first one determines it.
void run_loop(benchmark::State& state, void (*run)(int64_t)) {
  static auto* batches = new std::map<void (*)(int64_t), int64_t>;
  const auto found = batches->find(run);
  const int64_t batch = found != batches->end() ? found->second : measured_batch(run);
  batches->emplace(run, batch);
  while (state.KeepRunningBatch(batch)) run(batch);
}

void run_timed(benchmark::State& state, double (*timed)(int64_t)) {
  constexpr int64_t kBatch = 10;
  while (state.KeepRunningBatch(kBatch)) state.SetIterationTime(timed(kBatch));
}

void add_rows(const tenon_bench_peer* rows) {
  for (; rows->name != nullptr; ++rows) {
    if (rows->timed != nullptr) {
      benchmark::RegisterBenchmark(rows->name, run_timed, rows->timed)->UseManualTime();
    } else {
      benchmark::RegisterBenchmark(rows->name, run_loop, rows->run);
    }
  }
}

// TENON_BENCH_PEERS names shared libraries, separated by colons.
void add_peers() {
  const char* variable = std::getenv("TENON_BENCH_PEERS");
  std::istringstream paths(variable != nullptr ? variable : "");
  for (std::string path; std::getline(paths, path, ':');) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* symbol = handle != nullptr ? dlsym(handle, "tenon_bench_peers") : nullptr;
    if (symbol == nullptr) {
      std::fprintf(stderr, "call_bench: %s\n", dlerror());
      std::exit(1);
    }
    const auto peers = reinterpret_cast<const tenon_bench_peer* (*)()>(symbol);
    add_rows(peers());
  }
}

}  // namespace

int main(int argc, char** argv) {
  add_rows(small_tensor_rows());
  add_rows(layout_rows());
  add_rows(gradient_rows());
  add_rows(graph_rows());
  add_peers();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
