/* SPDX-License-Identifier: Apache-2.0 */
/* Introspection: operators, tables with provenance, calls explained, live handles, traces and a
 * simulator of registrations. */
#ifndef TENON_INTROSPECT_H
#define TENON_INTROSPECT_H

#include "tenon/common.h"
#include "tenon/dispatch.h"
#include "tenon/op.h"

TENON_BEGIN_DECLS

/* Where the kernel of a slot comes from. Append-only. */
#define TENON_PROVENANCE_MISSING 0u
#define TENON_PROVENANCE_KERNEL 1u
#define TENON_PROVENANCE_DEFAULT_BACKEND_KERNEL 2u /* a CompositeExplicit alias */
#define TENON_PROVENANCE_MATH_KERNEL 3u            /* CompositeImplicitAutograd */
#define TENON_PROVENANCE_AUTOGRAD_KERNEL 4u        /* the Autograd or Autocast alias */
#define TENON_PROVENANCE_BATCHED_KERNEL 5u         /* BatchedDecomposition */
#define TENON_PROVENANCE_BACKEND_FALLBACK 6u

/* One slot of an operator's table. Texts are valid for ever. */
typedef struct tenon_slot_info {
  uint32_t struct_size; /* sizeof(tenon_slot_info), set by the caller */
  uint32_t provenance;  /* TENON_PROVENANCE_* */
  tenon_key key;        /* the runtime key asked for */
  tenon_key source_key; /* the key or alias that the kernel was registered on */
  uint32_t fallthrough; /* 1: calls skip this key */
  uint32_t language;    /* TENON_LANGUAGE_* of the kernel */
  const char* name;     /* of the kernel's function, "" if unknown */
  const char* file;     /* where it was registered, "" if unknown */
  int32_t line;
  uint32_t typed; /* 1: it has a typed form */
  uint64_t reserved[2];
} tenon_slot_info;

/// Fills `out_info` with the slot of a runtime key (or TENON_KEY_UNDEFINED).
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an alias or unknown key, TENON_ERROR_ABI for a bad
///            struct_size.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_get_slot(const tenon_op* op, tenon_key key,
                                         tenon_slot_info* out_info);

/// Returns all runtime keys that have slots, highest last, as a buffer of tenon_key.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_keys`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_key_list(tenon_buffer** out_keys);

/// Returns the operators that are defined now, sorted by name, as a buffer of const tenon_op*.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_ops`; the operators are valid for ever.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_list(tenon_buffer** out_ops);

/// Returns the operators that have kernels but no definition, as a buffer of const tenon_op*.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_ops`; the operators are valid for ever.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_list_dangling(tenon_buffer** out_ops);

/// Returns an operator's tags, one a line.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_tags(const tenon_op* op, tenon_buffer** out_text);

/// Writes what is registered: name, schema, and one line a kernel, overridden ones as inactive.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_dump(const tenon_op* op, tenon_buffer** out_text);

/// Writes the computed table: one line a slot that is not missing, Undefined first, such as
/// "CPU: add_cpu at add.cpp:12 [kernel]".
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_dump_table(const tenon_op* op, tenon_buffer** out_text);

/// Recomputes the table of `op` (NULL: of all operators) and compares it with the one in use.
///
/// Errors:    TENON_ERROR_INTERNAL naming operator and slot that differ.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_check_invariants(const tenon_op* op);

/// Says in words what a call with these arguments would do on this thread, and makes none: which
/// keys the arguments carry, what thread and operator add and take away, which key the call goes
/// to, which kernel of which registration serves it and why, and what redispatching from there
/// reaches, down to the end. A call that would fail is explained too, unless its arguments do not
/// fit the schema.
///
/// Errors:    TENON_ERROR_TYPE as tenon_op_check_arguments, TENON_ERROR_NOT_FOUND when the operator
///            has no schema.
/// Ownership: arguments are borrowed; new reference in `out_text`.
/// Threads:   any thread; uses the calling thread's keys, modes and layers.
/// Since:     0.1
TENON_API tenon_status tenon_op_explain(const tenon_op* op, const tenon_value* args, int64_t nargs,
                                        tenon_buffer** out_text);

/* Kinds of handles, for tenon_live_count. Append-only. */
#define TENON_HANDLE_ERROR 0u
#define TENON_HANDLE_BUFFER 1u
#define TENON_HANDLE_OBJECT 2u
#define TENON_HANDLE_STORAGE 3u
#define TENON_HANDLE_TENSOR 4u
#define TENON_HANDLE_SCHEMA 5u
#define TENON_HANDLE_LIBRARY 6u
#define TENON_HANDLE_REGISTRATION 7u
#define TENON_HANDLE_THREAD_STATE 8u
#define TENON_HANDLE_KERNEL 9u /* registered kernels whose deleter has not run yet */
#define TENON_HANDLE_SIMULATOR 10u
#define TENON_HANDLE_TRACE 11u
#define TENON_HANDLE_GENERATOR 12u
#define TENON_HANDLE_COUNT 13u

/// Returns how many objects of a kind (TENON_HANDLE_*) live in the process, -1 for an unknown kind.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_live_count(uint32_t kind);

/// Returns the name of a kind of handle, such as "tensor", NULL for an unknown kind.
///
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_live_name(uint32_t kind);

/* One dispatch, told to the tracer of its thread before the kernel runs. */
typedef struct tenon_trace_event {
  const tenon_op* op;
  tenon_key key;       /* the key whose slot is called */
  uint32_t redispatch; /* 1: a redispatch, 0: a call */
  tenon_keyset keys;
  int32_t depth;      /* dispatches running on this thread, this one excluded */
  uint32_t language;  /* of the kernel */
  const char* kernel; /* the kernel's name, "" if unknown */
  uint64_t reserved[2];
} tenon_trace_event;

/* Told of each dispatch on the thread that traces. It may call operators; those are not told. */
typedef void (*tenon_tracer)(void* ctx, const tenon_trace_event* event);

/// Traces the calling thread's dispatches until stopped; replaces an earlier tracer. NULL stops.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY on a thread's first use.
/// Ownership: `ctx` is borrowed until tracing stops.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_trace_set(tenon_tracer tracer, void* ctx);

/* One dispatch as a trace recorded it. Texts are valid for ever. */
typedef struct tenon_trace_span {
  const tenon_op* op;
  tenon_keyset keys;   /* of the dispatch */
  tenon_key key;       /* the key whose slot was called */
  uint32_t redispatch; /* 1: a redispatch, 0: a call */
  uint32_t language;   /* of the kernel */
  int32_t depth;       /* spans of the trace that it ran inside */
  int64_t parent;      /* number of the innermost of those, -1 without one */
  int64_t begin_ns;    /* since the trace began */
  int64_t end_ns;      /* the same; -1 when it was still running as the trace ended */
  const char* kernel;  /* the kernel's name, "" if unknown */
  const char* file;    /* where it was registered, "" if unknown */
  int32_t line;
  tenon_status status; /* what the kernel returned, TENON_OK where it did not return */
  uint64_t reserved[2];
} tenon_trace_span;

/* Dispatches of one thread, recorded. Refcounted. */
typedef struct tenon_trace tenon_trace;

/// Begins to record the calling thread's dispatches, with times and nesting. Traces nest: each
/// records what happens between its own begin and end. While a thread is recorded, kernels are
/// entered through their boxed form, so that their ends are seen.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_trace`. The thread keeps another one until the trace ends.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_trace_begin(tenon_trace** out_trace);

/// Ends a trace; in any order. A thread that exits ends its own.
///
/// Errors:    TENON_ERROR_STATE when it has ended, or on another thread than the one it began on.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_trace_end(tenon_trace* trace);

/// Returns what was recorded so far as a buffer of tenon_trace_span, in the order of beginning.
///
/// Errors:    TENON_ERROR_STATE on another thread before the trace has ended;
///            TENON_ERROR_OUT_OF_MEMORY, also when memory was short while it recorded.
/// Ownership: new reference in `out_spans`.
/// Threads:   owner thread until the trace has ended, then any thread.
/// Since:     0.1
TENON_API tenon_status tenon_trace_spans(const tenon_trace* trace, tenon_buffer** out_spans);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_trace* tenon_trace_retain(tenon_trace* trace);

/// Drops a reference. NULL is accepted. Does not end the trace.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_trace_release(tenon_trace* trace);

/* An imagined operator to try registrations on. It is in no list, takes no kernel from anyone, and
 * nothing is left of it. Refcounted. */
typedef struct tenon_simulator tenon_simulator;

/// Makes a simulator of an operator with this schema, such as "f(Tensor x) -> Tensor" (NULL: that
/// one). The process's fallbacks serve it as they would a real operator.
///
/// Errors:    TENON_ERROR_PARSE for a malformed schema.
/// Ownership: new reference in `out_simulator`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_simulator_new(const char* schema, tenon_simulator** out_simulator);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_simulator* tenon_simulator_retain(tenon_simulator* simulator);

/// Drops a reference. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_simulator_release(tenon_simulator* simulator);

/// Registers an imagined kernel "fn_KEY" on each key, given by its name, runtime key or alias.
/// `flags` is 0, or TENON_KERNEL_FALLTHROUGH for keys that calls skip. All are registered or none.
///
/// Errors:    TENON_ERROR_NOT_FOUND naming what is no key; TENON_ERROR_INVALID_ARGUMENT for
///            Undefined, a key that is there already, both CompositeImplicitAutograd and
///            CompositeExplicitAutograd, which no operator should have, and other flags.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_simulator_register(tenon_simulator* simulator, const char* const* keys,
                                                int64_t nkeys, uint32_t flags);

/// Takes back what was registered on a key, given by its name.
///
/// Errors:    TENON_ERROR_NOT_FOUND for what is no key or has no registration.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_simulator_remove(tenon_simulator* simulator, const char* key);

/// Fills `out_info` with the slot of a runtime key (or TENON_KEY_UNDEFINED); see tenon_op_get_slot.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an alias or unknown key, TENON_ERROR_ABI for a bad
///            struct_size.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_simulator_get_slot(const tenon_simulator* simulator, tenon_key key,
                                                tenon_slot_info* out_info);

/* What tenon_simulator_print writes. Append-only. */
#define TENON_SIMULATOR_REGISTRATIONS 0u     /* keys and their kernels */
#define TENON_SIMULATOR_TABLE 1u             /* slots that the registrations serve */
#define TENON_SIMULATOR_RAW_REGISTRATIONS 2u /* as tenon_op_dump */
#define TENON_SIMULATOR_RAW_TABLE 3u         /* as tenon_op_dump_table, fallbacks included */

/// Writes what is registered, or the computed table, as text.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for another `what` (TENON_SIMULATOR_*).
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_simulator_print(const tenon_simulator* simulator, uint32_t what,
                                             tenon_buffer** out_text);

/// Says in words what a call with this key set would do; see tenon_op_explain.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread; the thread's keys are not consulted.
/// Since:     0.1
TENON_API tenon_status tenon_simulator_explain(const tenon_simulator* simulator, tenon_keyset keys,
                                               tenon_buffer** out_text);

TENON_END_DECLS

#endif /* TENON_INTROSPECT_H */
