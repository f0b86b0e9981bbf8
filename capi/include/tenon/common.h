/* SPDX-License-Identifier: Apache-2.0 */
/* Version numbers, linkage macros and the handle types that all other Tenon headers use. */
#ifndef TENON_COMMON_H
#define TENON_COMMON_H

#include <stddef.h>
#include <stdint.h>

/* Release number of this header. The ABI version changes independently: see TENON_ABI_VERSION. */
#define TENON_VERSION_MAJOR 0
#define TENON_VERSION_MINOR 1
#define TENON_VERSION_PATCH 0

/* ABI version: major << 16 | minor. A new major breaks existing callers; a new minor only adds. */
#define TENON_ABI_MAJOR 0
#define TENON_ABI_MINOR 1
#define TENON_ABI_VERSION ((uint32_t)((TENON_ABI_MAJOR << 16) | TENON_ABI_MINOR))

#if defined(_WIN32)
#if defined(TENON_BUILDING)
#define TENON_API __declspec(dllexport)
#else
#define TENON_API __declspec(dllimport)
#endif
#define TENON_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define TENON_API __attribute__((visibility("default")))
#define TENON_EXPORT __attribute__((visibility("default")))
#else
#define TENON_API
#define TENON_EXPORT
#endif

/* For functions on the path of a call: calls go through the address in the GOT instead of a PLT
 * entry, if the compiler supports that. */
#if defined(__has_attribute) && !defined(_WIN32)
#if __has_attribute(noplt)
#define TENON_CALL_API TENON_API __attribute__((noplt))
#endif
#endif
#if !defined(TENON_CALL_API)
#define TENON_CALL_API TENON_API
#endif

#if defined(__cplusplus)
#define TENON_BEGIN_DECLS extern "C" {
#define TENON_END_DECLS }
#else
#define TENON_BEGIN_DECLS
#define TENON_END_DECLS
#endif

// Usage:
//
//   if (tenon_abi_version() >> 16 != TENON_ABI_MAJOR) {
//     fprintf(stderr, "libtenon %s has another ABI\n", tenon_version());
//     return TENON_ERROR_ABI;
//   }

TENON_BEGIN_DECLS

/* NULL arguments: a function that returns a status returns TENON_ERROR_INVALID_ARGUMENT and clears
 * its outputs if an argument is NULL that its comment does not allow to be NULL. Two kinds of
 * functions accept no NULL unless their comment allows it: functions without a status, and
 * functions on the path of a call, whose comment says "No argument is NULL". Debug builds assert
 * that; release builds do not check it. Every function with a status refuses numbers outside the
 * enumeration of a parameter. */

/* Result of every fallible function: 0 is success. See status.h. */
typedef int32_t tenon_status;

/* One dispatch key: functionality | backend << 8, or an alias key from 0x10000. See key.h. */
typedef uint32_t tenon_key;

/* A set of dispatch keys: bits 0-23 backends, bits 24-63 functionalities. See key.h. */
typedef uint64_t tenon_keyset;

/* Opaque handles. Refcounted ones have retain and release functions; the comment on each other
 * handle states its lifetime. */
typedef struct tenon_error tenon_error;               /* refcounted, error.h */
typedef struct tenon_buffer tenon_buffer;             /* refcounted, buffer.h */
typedef struct tenon_object tenon_object;             /* refcounted, object.h */
typedef struct tenon_symbol tenon_symbol;             /* refcounted, symbol.h */
typedef struct tenon_generator tenon_generator;       /* refcounted, generator.h */
typedef struct tenon_storage tenon_storage;           /* refcounted, tensor.h */
typedef struct tenon_tensor tenon_tensor;             /* refcounted, tensor.h */
typedef struct tenon_weak_tensor tenon_weak_tensor;   /* refcounted, weak_tensor.h */
typedef struct tenon_type tenon_type;                 /* lives as long as its schema, schema.h */
typedef struct tenon_schema tenon_schema;             /* refcounted, schema.h */
typedef struct tenon_op tenon_op;                     /* never freed, op.h */
typedef struct tenon_library tenon_library;           /* refcounted, library.h */
typedef struct tenon_registration tenon_registration; /* refcounted, library.h */
typedef struct tenon_plugin tenon_plugin;             /* never freed, plugin.h */
typedef struct tenon_thread_state tenon_thread_state; /* refcounted, thread.h */
typedef struct tenon_graph tenon_graph;               /* refcounted, graph.h */

/* Frees the data that `ctx` points to. Runs exactly once, on any thread, with no lock held, and
 * must not fail. It may run long after the last use. In a runtime that has a lock of its own, a
 * deleter should only queue `ctx` for later. */
typedef void (*tenon_deleter)(void* ctx);

/// Returns the ABI version of the loaded library. Compare it with TENON_ABI_VERSION.
///
/// Errors:    none.
/// Threads:   any thread.
/// Since:     0.1
TENON_API uint32_t tenon_abi_version(void);

/// Returns the release number of the loaded library as "major.minor.patch".
///
/// Errors:    none.
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_version(void);

TENON_END_DECLS

#endif /* TENON_COMMON_H */
