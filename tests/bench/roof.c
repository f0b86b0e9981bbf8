/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures a core's peak rate of multiply-adds, for the benchmark of kernels.
 */
#include <stdint.h>
#include <time.h>

#define LANES 16
#define CHAINS 16

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/*
 * Independent chains of vectors, more than the latency of an addition in cycles, so that the units
 * are always busy.
 */
#define BODY                                                                    \
  typedef float vector __attribute__((vector_size(LANES * sizeof(float))));     \
  vector sums[CHAINS], factor, term;                                            \
  for (int k = 0; k < LANES; ++k) factor[k] = 0.5f + (float)k, term[k] = 1e-3f; \
  for (int c = 0; c < CHAINS; ++c) sums[c] = term + (float)c;                   \
  factor /= 64.0f;                                                              \
  for (int64_t i = 0; i < steps; ++i) {                                         \
    for (int c = 0; c < CHAINS; ++c) sums[c] = sums[c] * factor + term;         \
  }                                                                             \
  for (int c = 1; c < CHAINS; ++c) sums[0] += sums[c];                          \
  float total = 0;                                                              \
  for (int k = 0; k < LANES; ++k) total += sums[0][k];                          \
  return total;

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512f,fma,prefer-vector-width=512"))) static float run_avx512(
    int64_t steps) {
  BODY
}
__attribute__((target("avx2,fma"))) static float run_avx2(int64_t steps) { BODY }
#endif
static float run_base(int64_t steps) { BODY }

static float run(int64_t steps) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f")) return run_avx512(steps);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return run_avx2(steps);
#endif
  return run_base(steps);
}

/* Returns the floating-point operations per second of the calling thread, measured for
   `seconds`. */
__attribute__((visibility("default"))) double tenon_bench_peak(double seconds) {
  const int64_t steps = 20000;
  volatile float kept = 0;
  double best = 1e30;
  const double end = now() + seconds;
  do {
    const double start = now();
    kept = kept + run(steps);
    const double took = now() - start;
    if (took < best) best = took;
  } while (now() < end);
  return 2.0 * LANES * CHAINS * (double)steps / best;
}
