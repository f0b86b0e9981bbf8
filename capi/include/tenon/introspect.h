/* SPDX-License-Identifier: Apache-2.0 */
/* Introspection: operators, tables with provenance, registrations, live handles, traces. */
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
#define TENON_HANDLE_COUNT 10u

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

TENON_END_DECLS

#endif /* TENON_INTROSPECT_H */
