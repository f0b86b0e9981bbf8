/* SPDX-License-Identifier: Apache-2.0 */
/* Introspection: operators, dispatch tables with provenance, and numbers of live handles. */
#ifndef TENON_INTROSPECT_H
#define TENON_INTROSPECT_H

#include "tenon/buffer.h"
#include "tenon/common.h"
#include "tenon/key.h"

// Usage:
//
//   tenon_slot_info slot = {sizeof slot};
//   status = tenon_introspect_get_slot(op, TENON_KEY_CPU, &slot);
//   if (!status && slot.provenance != TENON_PROVENANCE_MISSING) {
//     printf("%s from %s:%d\n", slot.name, slot.file, (int)slot.line);
//   }

TENON_BEGIN_DECLS

/* Provenance of the kernel in a slot. Append-only. */
#define TENON_PROVENANCE_MISSING 0u
#define TENON_PROVENANCE_KERNEL 1u
#define TENON_PROVENANCE_DEFAULT_BACKEND_KERNEL 2u /* a CompositeExplicit alias */
#define TENON_PROVENANCE_MATH_KERNEL 3u            /* CompositeImplicitAutograd */
#define TENON_PROVENANCE_AUTOGRAD_KERNEL 4u        /* the Autograd or Autocast alias */
#define TENON_PROVENANCE_BATCHED_KERNEL 5u         /* BatchedDecomposition */
#define TENON_PROVENANCE_BACKEND_FALLBACK 6u

/* One slot of an operator's table. Texts are never freed. */
typedef struct tenon_slot_info {
  uint32_t struct_size; /* sizeof(tenon_slot_info), set by the caller */
  uint32_t provenance;  /* TENON_PROVENANCE_* */
  tenon_key key;        /* the runtime key of the slot */
  tenon_key source_key; /* the key or alias that the kernel was registered on */
  uint32_t fallthrough; /* 1: calls skip this key */
  uint32_t language;    /* TENON_LANGUAGE_* of the kernel */
  const char* name;     /* name of the kernel's function, "" if unknown */
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
TENON_API tenon_status tenon_introspect_get_slot(const tenon_op* op, tenon_key key,
                                                 tenon_slot_info* out_info);

/// Returns the operators that are defined now, sorted by name, as a buffer of const tenon_op*.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_ops`; the operators are never freed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_introspect_list_ops(tenon_buffer** out_ops);

/// Returns the operators that have kernels but no definition, as a buffer of const tenon_op*.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_ops`; the operators are never freed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_introspect_list_dangling(tenon_buffer** out_ops);

/// Prints an operator's registrations: name, schema, and one line per kernel. Overridden kernels
/// are marked as inactive.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_introspect_dump(const tenon_op* op, tenon_buffer** out_text);

/// Prints an operator's computed table: one line per slot that is not missing, Undefined first,
/// such as "CPU: mm_cpu at mm.cpp:12 [kernel]".
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_introspect_dump_table(const tenon_op* op, tenon_buffer** out_text);

/// Recomputes the table of `op` (NULL: of all operators) and compares it with the table in use.
///
/// Errors:    TENON_ERROR_INTERNAL naming the operator and slot that differ.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_introspect_check(const tenon_op* op);

/* Kinds of handles, for tenon_introspect_live_count. Append-only. */
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
#define TENON_HANDLE_PROFILE 11u
#define TENON_HANDLE_GENERATOR 12u
#define TENON_HANDLE_WEAK_TENSOR 13u
#define TENON_HANDLE_NODE 14u
#define TENON_HANDLE_HOOK 15u
#define TENON_HANDLE_GRAPH 16u
#define TENON_HANDLE_FAKE_MODE 17u

/// Returns the number of live objects of a kind (TENON_HANDLE_*) in the process, or -1 for an
/// unknown kind.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_introspect_live_count(uint32_t kind);

/// Returns the number of kinds of handles that this library has: all TENON_HANDLE_* are below it.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API uint32_t tenon_introspect_handle_count(void);

/// Returns the name of a kind of handle, such as "tensor", or NULL for an unknown kind.
///
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_introspect_handle_name(uint32_t kind);

TENON_END_DECLS

#endif /* TENON_INTROSPECT_H */
