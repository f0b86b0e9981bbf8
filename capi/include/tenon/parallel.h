/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that several threads share: one small pool for all kernels of a process. */
#ifndef TENON_PARALLEL_H
#define TENON_PARALLEL_H

#include "tenon/common.h"

// Usage:
//
//   /* static tenon_status scale(void* ctx, int64_t begin, int64_t end) {
//    *   float* data = ctx;
//    *   for (; begin < end; ++begin) data[begin] *= 2;
//    *   return TENON_OK;
//    * } */
//   status = tenon_parallel_for(count, 32768, scale, data);

TENON_BEGIN_DECLS

/* Works on the numbers from `begin` to `end`, which is not included. Called on several threads at
 * once, none of which has modes, layers or a grad mode of the caller's. It must not throw. */
typedef tenon_status (*tenon_parallel_fn)(void* ctx, int64_t begin, int64_t end);

/// Calls `run` for the numbers from 0 to `count` in chunks of `grain`, the last one may be smaller,
/// and returns when all are done. Which chunks there are depends on `count` and `grain` alone: what
/// is computed from chunks is the same for any number of threads. With one chunk, inside of another
/// call, and while another thread's call runs, the caller does all the work.
///
/// Errors:    what `run` returned for the first chunk that failed, with its error; later chunks may
///            not have been called then. TENON_ERROR_INVALID_ARGUMENT for a `count` below 0, a
///            `grain` below 1 or a NULL `run`. Threads that the system does not give are no error.
/// Ownership: `ctx` is borrowed for the call.
/// Threads:   any thread, inside kernels and after a fork too; blocks until all chunks are done.
/// Since:     0.1
TENON_API tenon_status tenon_parallel_for(int64_t count, int64_t grain, tenon_parallel_fn run,
                                          void* ctx);

/// Sets how many threads work on a call, the caller's included. 0: what the environment's
/// TENON_NUM_THREADS says, else the processors that the process may use by its affinity and the
/// quota of its control group.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT below 0 and above 256.
/// Threads:   any thread; calls that run keep their number.
/// Since:     0.1
TENON_API tenon_status tenon_parallel_set_threads(int32_t count);

/// How many threads work on a call, at least 1; of a host's own pool as many as that says.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_parallel_get_threads(void);

/// Sets for how many microseconds a thread of the pool looks for more work before it sleeps. At
/// first 300: the next call finds it awake, and a core is busy for so long.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT below 0 and above 1 000 000.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_parallel_set_spin(int64_t microseconds);

/// Ends the pool's threads, and waits until they have. The next call that needs some starts new
/// ones. Nothing has to call it: a process may end with the pool's threads asleep.
///
/// Errors:    TENON_ERROR_STATE while a call runs; nothing changes then.
/// Threads:   any thread but the pool's; blocks.
/// Since:     0.1
TENON_API tenon_status tenon_parallel_close(void);

/* A host's own threads, to be used instead of the pool's. */
typedef struct tenon_parallel_host {
  uint32_t struct_size; /* sizeof(tenon_parallel_host) */
  int32_t threads;      /* that work at once, at least 1 */
  /* Calls `chunk(job, k)` once for each k from 0 to `count`, on any threads, and returns when all
   * have returned. It may be called by several threads at once, and from inside of a chunk. */
  void (*run)(void* ctx, int64_t count, void (*chunk)(void* job, int64_t k), void* job);
  void* ctx;
  uint64_t reserved[4]; /* zero */
} tenon_parallel_host;

/// Has all later calls of tenon_parallel_for use a host's threads; NULL: the pool's own again.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a NULL `run`, less than 1 thread or a reserved word
///            that is not zero, TENON_ERROR_ABI for a bad struct_size.
/// Ownership: `host` is borrowed for ever.
/// Threads:   any thread; calls that run go on where they are.
/// Since:     0.1
TENON_API tenon_status tenon_parallel_set_host(const tenon_parallel_host* host);

TENON_END_DECLS

#endif /* TENON_PARALLEL_H */
