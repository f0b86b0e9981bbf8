/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: dispatches of one thread, reported to a listener or recorded with times. */
#ifndef TENON_PROFILE_H
#define TENON_PROFILE_H

#include "tenon/buffer.h"
#include "tenon/common.h"
#include "tenon/key.h"

// Usage:
//
//   tenon_profile* profile = NULL;
//   tenon_profile_span span = {sizeof span};
//   status = tenon_profile_begin(1000, &profile);
//   if (!status) status = tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, &ret, 1);
//   if (!status) status = tenon_profile_end(profile);
//   if (!status) status = tenon_profile_get_span(profile, 0, &span);
//   if (!status) printf("%s: %d ns\n", span.kernel, (int)(span.end_ns - span.begin_ns));
//   tenon_profile_release(profile);

TENON_BEGIN_DECLS

/* A dispatch, reported to the thread's listener before the kernel runs. */
typedef struct tenon_profile_event {
  const tenon_op* op;
  tenon_key key;       /* the key whose slot is called */
  uint32_t redispatch; /* 1: a redispatch, 0: a call */
  tenon_keyset keys;
  int32_t depth;      /* number of dispatches that are running on this thread, without this one */
  uint32_t language;  /* language of the kernel */
  const char* kernel; /* the kernel's name, "" if unknown */
  uint64_t reserved[2];
} tenon_profile_event;

/* Called for each dispatch of the profiled thread. Calls that it makes are not reported. */
typedef void (*tenon_profile_listener)(void* ctx, const tenon_profile_event* event);

/// Reports the calling thread's dispatches to `listener` until another one is set. NULL stops.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY on a thread's first use.
/// Ownership: takes over `ctx`, also on failure: `deleter` (may be NULL) runs when another listener
///            is set or the thread exits, but not while the listener runs.
/// Threads:   owner thread; may run the deleter of the previous listener.
/// Since:     0.1
TENON_API tenon_status tenon_profile_set_listener(tenon_profile_listener listener, void* ctx,
                                                  tenon_deleter deleter);

/* A recorded dispatch of a profile. Texts are never freed. */
typedef struct tenon_profile_span {
  uint32_t struct_size; /* sizeof(tenon_profile_span), set by the caller */
  uint32_t redispatch;  /* 1: a redispatch, 0: a call */
  const tenon_op* op;
  tenon_keyset keys; /* key set of the dispatch */
  tenon_key key;     /* the key whose slot was called */
  uint32_t language; /* language of the kernel */
  uint32_t handler_language;
  int32_t depth;      /* number of the profile's spans that it ran inside */
  int64_t parent;     /* index of the innermost of those spans, -1 without one */
  int64_t begin_ns;   /* since the profile began */
  int64_t end_ns;     /* since the profile began; -1 if it was still running at its end */
  const char* kernel; /* the kernel's name, "" if unknown */
  const char* file;   /* where it was registered, "" if unknown */
  int32_t line;
  tenon_status status; /* status that the kernel returned; TENON_OK if it did not return */
  const char* handler; /* type of the mode or argument whose handler ran last in a fallback; or ""
                        * */
  uint64_t reserved;
} tenon_profile_span;

/* A recording of the dispatches of one thread. Refcounted. */
typedef struct tenon_profile tenon_profile;

/// Begins to record the calling thread's dispatches, with times and nesting. Profiles can be
/// nested: each records what happens between its own begin and end. While a thread is recorded,
/// kernels are entered through their boxed form, so that their ends can be observed. At most
/// `max_spans` spans are kept (0: no limit; a span takes some 100 bytes). After the first
/// `max_spans` spans, dispatches are only counted.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a negative number, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_profile`. The thread holds another one until the profile ends.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_profile_begin(int64_t max_spans, tenon_profile** out_profile);

/// Ends a profile. Profiles may end in any order. A thread that exits ends its profiles.
///
/// Errors:    TENON_ERROR_STATE if it has ended, or on another thread than the one it began on.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_profile_end(tenon_profile* profile);

/// Returns the number of spans recorded so far, and of those dropped because of `max_spans`.
///
/// Errors:    TENON_ERROR_STATE on another thread before the profile has ended,
///            TENON_ERROR_OUT_OF_MEMORY if memory was short while it recorded.
/// Threads:   owner thread until the profile has ended, then any thread.
/// Since:     0.1
TENON_API tenon_status tenon_profile_span_count(const tenon_profile* profile, int64_t* out_count,
                                                int64_t* out_dropped);

/// Fills `out_span` with span `index`. Spans are ordered by their beginning.
///
/// Errors:    TENON_ERROR_INDEX, TENON_ERROR_ABI for a bad struct_size; otherwise as
///            tenon_profile_span_count.
/// Ownership: texts are never freed.
/// Threads:   owner thread until the profile has ended, then any thread.
/// Since:     0.1
TENON_API tenon_status tenon_profile_get_span(const tenon_profile* profile, int64_t index,
                                              tenon_profile_span* out_span);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_profile* tenon_profile_retain(tenon_profile* profile);

/// Drops a reference. NULL is accepted. Does not end the profile.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_profile_release(tenon_profile* profile);

TENON_END_DECLS

#endif /* TENON_PROFILE_H */
