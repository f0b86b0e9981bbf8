/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries: owners of registrations. They define operators and register kernels and fallbacks.
 *
 * Every function that changes the registry *blocks*: it takes one lock and builds tables. After
 * that, without the lock, it runs foreign code on the calling thread: listeners, selectors and
 * deleters. Such code may change the registry, too. Opening a library of "aten" or "tenon" first
 * loads the kernels that ship, so that the library's registrations take precedence over them. */
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

/* Kinds. DEF: the only owner of a namespace; defines operators and registers kernels. IMPL:
 * registers kernels only. FRAGMENT: defines operators and registers kernels in a namespace that
 * another library owns or shares. */
#define TENON_LIBRARY_DEF 0u
#define TENON_LIBRARY_IMPL 1u
#define TENON_LIBRARY_FRAGMENT 2u

/* Options for the definition of an operator. */
typedef struct tenon_define_options {
  uint32_t struct_size; /* sizeof(tenon_define_options) */
  uint32_t tag_count;
  const char* const* tags;    /* such as "pointwise", "core"; copied */
  const char* alias_analysis; /* NULL or "" (from the schema), "FROM_SCHEMA", "CONSERVATIVE" */
  const char* file;           /* NULL or the place of the definition */
  int32_t line;
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_define_options;

/// Opens a library. `ns` is a namespace, or "_" for an IMPL library of fallbacks. `key` is the
/// default key of its kernels, or TENON_KEY_NONE. `file` and `line` (NULL and 0 if unknown)
/// identify the opener in messages.
///
/// Errors:    TENON_ERROR_ALREADY_EXISTS for a second DEF of a namespace, naming the first;
///            TENON_ERROR_INVALID_ARGUMENT for a bad kind, namespace or key.
/// Ownership: new reference in `out_library`; the last release closes it.
/// Threads:   any thread; *blocks*, and loads plugins for the namespaces that ship.
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

/// Defines an operator from the text of a schema, with or without the library's namespace in its
/// name.
/// `options` and `out_op` may be NULL.
///
/// Errors:    TENON_ERROR_PARSE; TENON_ERROR_ALREADY_EXISTS naming the first definition;
///            TENON_ERROR_INVALID_ARGUMENT in an IMPL library, for another namespace, or if a
///            registered kernel does not match; TENON_ERROR_STATE for a closed library;
///            TENON_ERROR_ABI for a bad struct_size. A failure changes nothing.
/// Ownership: the library owns the definition; the operator handle is never freed.
/// Threads:   any thread; *blocks*, calls the selectors of fallbacks, then runs listeners.
/// Since:     0.1
TENON_API tenon_status tenon_library_define(tenon_library* library, const char* schema,
                                            const tenon_define_options* options,
                                            const tenon_op** out_op);

/// Registers a kernel for an operator ("name.overload", with or without namespace) and a key, which
/// may be an alias key. The operator need not be defined yet. `out_registration` may be NULL.
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

/* Return values of a fallback's selector. */
#define TENON_SELECT_KERNEL 0
#define TENON_SELECT_FALLTHROUGH 1

/* Decides whether a fallback applies to an operator. It is called for each operator before it is
 * defined, and for all defined operators when the fallback is registered. `ctx` is that of the
 * fallback's kernel. Returns TENON_SELECT_*. The answer is cached. It may be requested again if a
 * definition fails, or is retried because the registry was changed concurrently. */
typedef int32_t (*tenon_fallback_select)(void* ctx, const tenon_schema* schema);

/// Registers a boxed fallback for all operators at a key, in an IMPL library of namespace "_". On
/// an alias key it is installed on all its keys or on none. If `select` is NULL, the fallback
/// applies to all operators.
///
/// Errors:    TENON_ERROR_ALREADY_EXISTS if a key has one, naming where;
///            TENON_ERROR_INVALID_ARGUMENT in another library or for a bad key or kernel;
///            TENON_ERROR_STATE for a closed library; TENON_ERROR_ABI for a bad struct_size.
/// Ownership: as tenon_library_impl.
/// Threads:   any thread; *blocks*, and calls `select` on this thread, with no lock held. Later
///            definitions call it on the thread that defines.
/// Since:     0.1
TENON_API tenon_status tenon_library_fallback(tenon_library* library, tenon_key key,
                                              const tenon_kernel* kernel,
                                              tenon_fallback_select select,
                                              tenon_registration** out_registration);

/// Removes everything that the library registered. New calls are affected at once. The function
/// does not wait for running kernels, whose deleters run later. Closing a closed library does
/// nothing.
///
/// Threads:   any thread, also from inside one of its kernels; *blocks*, runs listeners, and may
///            run deleters.
/// Since:     0.1
TENON_API void tenon_library_close(tenon_library* library);

/// Waits until no thread runs a kernel of a closed library, no recorded call holds one for later,
/// and all its deleters have run. `timeout_ns` is in nanoseconds; negative means no limit.
///
/// Errors:    TENON_ERROR_BUSY on time-out, naming operator and thread, or the operator whose
///            kernel is still held by a recorded call; TENON_ERROR_STATE inside one of its kernels,
///            or if the library is not closed.
/// Threads:   any thread; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_library_drain(tenon_library* library, int64_t timeout_ns);

/// Removes a registration. New calls are affected at once. Removing it again does nothing.
///
/// Threads:   any thread; *blocks*, runs listeners, and may run deleters.
/// Since:     0.1
TENON_API void tenon_registration_remove(tenon_registration* registration);

/// Called from inside a kernel, calls the kernel that this registration replaced: the one that
/// would serve the same operator and key if the registration were removed. `keys` are the key set
/// that the kernel was called with. If the replaced kernel is a fallthrough, the call continues
/// below the highest key of `keys`.
///
/// Errors:    TENON_ERROR_NO_KERNEL if there is none, TENON_ERROR_STATE if the registration has
///            been removed or is no kernel's; otherwise as tenon_op_redispatch.
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

/// Drops a reference. The registration itself stays until it is removed. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_registration_release(tenon_registration* registration);

/// Runs the deleters of removed kernels that are no longer running on any thread.
///
/// Threads:   any thread; runs deleters.
/// Since:     0.1
TENON_API void tenon_registry_reap(void);

/* Events that are reported to a registry listener. */
#define TENON_EVENT_OP_DEFINED 1u
#define TENON_EVENT_OP_REMOVED 2u

/* Called after an operator is defined or its definition is removed, with no lock held. The events
 * of one operator are reported one at a time, in the order in which they happened. They are
 * reported on the thread that caused them, or, if another thread is just reporting events of the
 * same operator, on that thread. */
typedef void (*tenon_registry_listener)(void* ctx, uint32_t event, const tenon_op* op);

/// Adds a listener and reports all operators that exist to it. Removing its registration removes
/// it.
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
