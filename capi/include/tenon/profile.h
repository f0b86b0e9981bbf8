/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: the dispatches of one thread, told as they happen or recorded with times. */
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

/* One dispatch, told to the listener of its thread before the kernel runs. */
typedef struct tenon_profile_event {
  const tenon_op* op;
  tenon_key key;       /* the key whose slot is called */
  uint32_t redispatch; /* 1: a redispatch, 0: a call */
  tenon_keyset keys;
  int32_t depth;      /* dispatches running on this thread, this one excluded */
  uint32_t language;  /* of the kernel */
  const char* kernel; /* the kernel's name, "" if unknown */
  uint64_t reserved[2];
} tenon_profile_event;

/* Told of each dispatch on the thread that profiles. It may call operators; those are not told. */
typedef void (*tenon_profile_listener)(void* ctx, const tenon_profile_event* event);

/// Tells `listener` of the calling thread's dispatches until another one is set. NULL stops.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY on a thread's first use.
/// Ownership: takes over `ctx`, also on failure: `deleter` (may be NULL) runs when another listener
///            is set or the thread exits, but not while the listener runs.
/// Threads:   owner thread; may run the deleter of the listener before.
/// Since:     0.1
TENON_API tenon_status tenon_profile_set_listener(tenon_profile_listener listener, void* ctx,
                                                  tenon_deleter deleter);

/* One dispatch as a profile recorded it. Texts are valid for ever. */
typedef struct tenon_profile_span {
  uint32_t struct_size; /* sizeof(tenon_profile_span), set by the caller */
  uint32_t redispatch;  /* 1: a redispatch, 0: a call */
  const tenon_op* op;
  tenon_keyset keys; /* of the dispatch */
  tenon_key key;     /* the key whose slot was called */
  uint32_t language; /* of the kernel */
  uint32_t handler_language;
  int32_t depth;      /* spans of the profile that it ran inside */
  int64_t parent;     /* number of the innermost of those, -1 without one */
  int64_t begin_ns;   /* since the profile began */
  int64_t end_ns;     /* the same; -1 when it was still running as the profile ended */
  const char* kernel; /* the kernel's name, "" if unknown */
  const char* file;   /* where it was registered, "" if unknown */
  int32_t line;
  tenon_status status; /* what the kernel returned, TENON_OK where it did not return */
  const char* handler; /* the type of the mode or argument that a fallback asked last; else "" */
  uint64_t reserved;
} tenon_profile_span;

/* Dispatches of one thread, recorded. Refcounted. */
typedef struct tenon_profile tenon_profile;

/// Begins to record the calling thread's dispatches, with times and nesting. Profiles nest: each
/// records what happens between its own begin and end. While a thread is recorded, kernels are
/// entered through their boxed form, so that their ends are seen. At most `max_spans` are kept, the
/// first ones (0: all, some 100 bytes each); those after them are counted only.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a negative number, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_profile`. The thread keeps another one until the profile ends.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_profile_begin(int64_t max_spans, tenon_profile** out_profile);

/// Ends a profile; in any order. A thread that exits ends its own.
///
/// Errors:    TENON_ERROR_STATE when it has ended, or on another thread than the one it began on.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_profile_end(tenon_profile* profile);

/// Gives the number of spans recorded so far, and of those that `max_spans` left out.
///
/// Errors:    TENON_ERROR_STATE on another thread before the profile has ended,
///            TENON_ERROR_OUT_OF_MEMORY when memory was short while it recorded.
/// Threads:   owner thread until the profile has ended, then any thread.
/// Since:     0.1
TENON_API tenon_status tenon_profile_span_count(const tenon_profile* profile, int64_t* out_count,
                                                int64_t* out_dropped);

/// Fills `out_span` with span `index`, in the order of beginning.
///
/// Errors:    TENON_ERROR_INDEX, TENON_ERROR_ABI for a bad struct_size; else as
///            tenon_profile_span_count.
/// Ownership: texts are valid for ever.
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
