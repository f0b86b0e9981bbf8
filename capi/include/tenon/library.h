/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries: owners of registrations. Defining operators and registering kernels and fallbacks.
 *
 * Whoever changes the registry *blocks*: one lock is taken, tables are built, and foreign code runs
 * on the calling thread after that, with no lock held: listeners, selectors, deleters. Such code
 * may change the registry, too. Opening a library of "aten" or "tenon" loads the kernels that ship
 * first, so that what is registered lies on top of them. */
#ifndef TENON_LIBRARY_H
#define TENON_LIBRARY_H

#include "tenon/common.h"
#include "tenon/kernel.h"
#include "tenon/key.h"
#include "tenon/op.h"
#include "tenon/value.h"

// Usage:
//
//   tenon_library* shop = NULL;
//   status = tenon_library_new(TENON_LIBRARY_DEF, "shop", TENON_KEY_NONE, NULL, 0, &shop);
//   if (!status) status = tenon_library_define(shop, "twice(int x) -> int", NULL, &op);
//   if (!status) status = tenon_library_impl(shop, "twice", TENON_KEY_CPU, &kernel, NULL);
//   /* ... */
//   tenon_library_release(shop); /* removes what it registered */

TENON_BEGIN_DECLS

/* Kinds. DEF: the one owner of a namespace, defines and implements. IMPL: implements only.
 * FRAGMENT: defines and implements in a namespace that others own or share. */
#define TENON_LIBRARY_DEF 0u
#define TENON_LIBRARY_IMPL 1u
#define TENON_LIBRARY_FRAGMENT 2u

/* How an operator is defined. */
typedef struct tenon_define_options {
  uint32_t struct_size; /* sizeof(tenon_define_options) */
  uint32_t tag_count;
  const char* const* tags;    /* such as "pointwise", "core"; copied */
  const char* alias_analysis; /* NULL or "" (from the schema), "FROM_SCHEMA", "CONSERVATIVE" */
  const char* file;           /* NULL or where it is defined */
  int32_t line;
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_define_options;

/// Opens a library. `ns` is a namespace, or "_" for an IMPL library of fallbacks. `key` is the
/// default key of its kernels, or TENON_KEY_NONE. `file` and `line` (NULL, 0 = unknown) name the
/// opener in messages.
///
/// Errors:    TENON_ERROR_ALREADY_EXISTS for a second DEF of a namespace, naming the first;
///            TENON_ERROR_INVALID_ARGUMENT for a bad kind, namespace or key.
/// Ownership: new reference in `out_library`; the last release closes it.
/// Threads:   any thread; *blocks*, and loads plugins for the namespaces of what ships.
/// Since:     0.1
TENON_API tenon_status tenon_library_new(uint32_t kind, const char* ns, tenon_key key,
                                         const char* file, int32_t line,
                                         tenon_library** out_library);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_library* tenon_library_retain(tenon_library* library);

/// Drops a reference; the last one closes the library. NULL is accepted.
///
/// Threads:   any thread; the last one *blocks*, runs listeners, and may run deleters.
/// Since:     0.1
TENON_API void tenon_library_release(tenon_library* library);

/// Returns the namespace.
///
/// Ownership: borrowed until the library dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_library_namespace(const tenon_library* library);

/// Defines an operator from schema text, its name with or without the library's namespace.
/// `options` and `out_op` may be NULL.
///
/// Errors:    TENON_ERROR_PARSE; TENON_ERROR_ALREADY_EXISTS naming the first definition;
///            TENON_ERROR_INVALID_ARGUMENT in an IMPL library, for another namespace, or for a
///            kernel already there that does not match; TENON_ERROR_STATE for a closed library;
///            TENON_ERROR_ABI for a bad struct_size. A failure changes nothing.
/// Ownership: the definition is the library's; the operator handle is valid for ever.
/// Threads:   any thread; *blocks*, asks the selectors of fallbacks, then runs listeners.
/// Since:     0.1
TENON_API tenon_status tenon_library_define(tenon_library* library, const char* schema,
                                            const tenon_define_options* options,
                                            const tenon_op** out_op);

/// Registers a kernel for an operator ("name.overload", with or without namespace) and a key, which
/// may be an alias key. May come before the definition. `out_registration` may be NULL.
///
/// Errors:    TENON_ERROR_PARSE for a malformed name; TENON_ERROR_INVALID_ARGUMENT for a bad key,
///            another namespace, or a schema or signature that does not match the definition or the
///            other kernels, or a reserved word that is not zero; TENON_ERROR_ALREADY_EXISTS under
///            TENON_REPLACE_ERROR; TENON_ERROR_STATE for a closed library; TENON_ERROR_ABI for a
///            bad struct_size. A failure changes nothing.
/// Ownership: takes over kernel->ctx, also on failure. The registration is removed with the
///            library, or by tenon_registration_remove; `out_registration` gets a new reference.
/// Threads:   any thread; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_library_impl(tenon_library* library, const char* name, tenon_key key,
                                          const tenon_kernel* kernel,
                                          tenon_registration** out_registration);

/* Choices of a fallback's selector. */
#define TENON_SELECT_KERNEL 0
#define TENON_SELECT_FALLTHROUGH 1

/* Asked about each operator before it is defined, and about those that are when the fallback is
 * registered: does the fallback concern it? `ctx` is that of the fallback's kernel. Returns
 * TENON_SELECT_*. The answer is kept; where a definition fails, or must be tried again because
 * others registered meanwhile, it may be asked for again. */
typedef int32_t (*tenon_fallback_select)(void* ctx, const tenon_schema* schema);

/// Registers a boxed fallback for all operators at a key, in an IMPL library of namespace "_". On
/// an alias key it is installed on all its keys or none. `select` may be NULL: concerns all.
///
/// Errors:    TENON_ERROR_ALREADY_EXISTS when a key has one, naming where;
///            TENON_ERROR_INVALID_ARGUMENT in another library or for a bad key or kernel;
///            TENON_ERROR_STATE for a closed library; TENON_ERROR_ABI for a bad struct_size.
/// Ownership: as tenon_library_impl.
/// Threads:   any thread; *blocks*, and asks `select` on this thread, with no lock held. Later
///            definitions ask it on the thread that defines.
/// Since:     0.1
TENON_API tenon_status tenon_library_fallback(tenon_library* library, tenon_key key,
                                              const tenon_kernel* kernel,
                                              tenon_fallback_select select,
                                              tenon_registration** out_registration);

/// Removes everything that the library registered, at once for new calls, without waiting for
/// running ones: their kernels' deleters run later. Closing again does nothing.
///
/// Threads:   any thread, also from inside one of its kernels; *blocks*, runs listeners, and may
///            run deleters.
/// Since:     0.1
TENON_API void tenon_library_close(tenon_library* library);

/// Waits until no thread runs a kernel of a closed library, nothing that was recorded holds one for
/// later, and all its deleters have run. `timeout_ns` is in nanoseconds, negative for ever.
///
/// Errors:    TENON_ERROR_BUSY after the time-out, naming operator and thread, or the operator
///            whose kernel is still held by what was recorded; TENON_ERROR_STATE inside one of its
///            kernels, or when it is not closed.
/// Threads:   any thread; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_library_drain(tenon_library* library, int64_t timeout_ns);

/// Removes one registration, at once for new calls. Removing again does nothing.
///
/// Threads:   any thread; *blocks*, runs listeners, and may run deleters.
/// Since:     0.1
TENON_API void tenon_registration_remove(tenon_registration* registration);

/// Calls, from inside a kernel, the kernel that this registration replaced: the one of the same
/// operator and key that would serve if the registration were removed. `keys` are the kernel's own.
/// Where that is a fallthrough, it goes on below their highest key.
///
/// Errors:    TENON_ERROR_NO_KERNEL when there is none, TENON_ERROR_STATE when the registration has
///            been removed or is no kernel's; else as tenon_op_redispatch.
/// Ownership: as tenon_op_redispatch.
/// Threads:   any thread; *blocks* unless the kernel is NOBLOCK.
/// Since:     0.1
TENON_API tenon_status tenon_registration_call_older(const tenon_registration* registration,
                                                     tenon_keyset keys, tenon_stack* stack);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_registration* tenon_registration_retain(tenon_registration* registration);

/// Drops a reference; the registration itself stays until removed. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_registration_release(tenon_registration* registration);

/// Runs the deleters of removed kernels that no thread runs any more.
///
/// Threads:   any thread; runs deleters.
/// Since:     0.1
TENON_API void tenon_registry_reap(void);

/* What a registry listener is told. */
#define TENON_EVENT_OP_DEFINED 1u
#define TENON_EVENT_OP_REMOVED 2u

/* Called after each definition comes or goes, with no lock held. The events of one operator are
 * told in the order in which they happened, one at a time: on the thread that caused them, or,
 * where another thread is just telling of the same operator, on that one. */
typedef void (*tenon_registry_listener)(void* ctx, uint32_t event, const tenon_op* op);

/// Adds a listener, told at once of all operators that exist. Its registration's removal ends it.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a NULL listener, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure; `out_registration` gets a new reference.
/// Threads:   any thread; *blocks*, and runs the listener.
/// Since:     0.1
TENON_API tenon_status tenon_registry_add_listener(tenon_registry_listener listener, void* ctx,
                                                   tenon_deleter deleter,
                                                   tenon_registration** out_registration);

TENON_END_DECLS

#endif /* TENON_LIBRARY_H */
