/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel loops: one small thread pool for all kernels of a process. */
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

/* Processes the numbers from `begin` up to, but not including, `end`. It is called on several
 * threads at once; none of them has the caller's modes, layers or grad mode. It must not throw. */
typedef tenon_status (*tenon_parallel_fn)(void* ctx, int64_t begin, int64_t end);

/// Calls `run` for the numbers from 0 to `count` in chunks of `grain` numbers (the last chunk may
/// be smaller), and returns when all are done. The chunks depend on `count` and `grain` only, so
/// that results computed per chunk do not depend on the number of threads. If there is only one
/// chunk, inside of another tenon_parallel_for, and while another thread's tenon_parallel_for runs,
/// all work is done on the calling thread.
///
/// Errors:    the status and error that `run` returned for the first chunk that failed; later
///            chunks may not have been run then. TENON_ERROR_INVALID_ARGUMENT for a `count` below
///            0, a `grain` below 1 or a NULL `run`. It is no error if the system cannot start
///            threads.
/// Ownership: `ctx` is borrowed for the call.
/// Threads:   any thread, inside kernels and after a fork too; blocks until all chunks are done.
/// Since:     0.1
TENON_API tenon_status tenon_parallel_for(int64_t count, int64_t grain, tenon_parallel_fn run,
                                          void* ctx);

/// Sets the number of threads that work on a call, including the calling thread. If `count` is 0,
/// the number is taken from the environment variable TENON_NUM_THREADS, or, if that is not set,
/// from the processors that the process may use according to its affinity mask and the quota of its
/// control group.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT below 0 and above 256.
/// Threads:   any thread; running calls keep their number of threads.
/// Since:     0.1
TENON_API tenon_status tenon_parallel_set_threads(int32_t count);

/// Returns the number of threads that work on a call, at least 1. With a host's threads it is the
/// `threads` of tenon_parallel_host.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_parallel_get_threads(void);

/// Sets how long, in microseconds, a thread of the pool spins for more work before it sleeps. The
/// default is 300. While a thread spins, the next call finds it awake, but it keeps a core busy.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT below 0 and above 1 000 000.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_parallel_set_spin(int64_t microseconds);

/// Stops the pool's threads and waits until they have ended. The next call that needs threads
/// starts new ones. Calling this is optional: a process may exit while the pool's threads are
/// asleep.
///
/// Errors:    TENON_ERROR_STATE while a call runs; nothing changes then.
/// Threads:   any thread but the pool's; blocks.
/// Since:     0.1
TENON_API tenon_status tenon_parallel_close(void);

/* A host's own threads, used instead of the pool's. */
typedef struct tenon_parallel_host {
  uint32_t struct_size; /* sizeof(tenon_parallel_host) */
  int32_t threads;      /* number of threads that work at once, at least 1 */
  /* Calls `chunk(job, k)` once for each k from 0 to `count` - 1, on any threads, and returns when
   * all calls have returned. It may be called by several threads at once, and from inside of a
   * chunk. */
  void (*run)(void* ctx, int64_t count, void (*chunk)(void* job, int64_t k), void* job);
  void* ctx;
  uint64_t reserved[4]; /* zero */
} tenon_parallel_host;

/// Makes all later calls of tenon_parallel_for use a host's threads, or the pool's own again if
/// `host` is NULL.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a NULL `run`, less than 1 thread or a reserved word
///            that is not zero, TENON_ERROR_ABI for a bad struct_size.
/// Ownership: `host` is borrowed and must never be freed.
/// Threads:   any thread; running calls are not affected.
/// Since:     0.1
TENON_API tenon_status tenon_parallel_set_host(const tenon_parallel_host* host);

TENON_END_DECLS

#endif /* TENON_PARALLEL_H */
