/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch keys, alias keys, key sets, and keys declared at run time. */
#ifndef TENON_KEY_H
#define TENON_KEY_H

#include "tenon/buffer.h"
#include "tenon/common.h"

// Usage:
//
//   tenon_key key = 0;
//   tenon_keyset own = 0;
//   status = tenon_functionality_register("Logger", "Autograd", TENON_KEY_FLAG_ABOVE, &key);
//   if (!status) status = tenon_keyset_from_key(key, &own);
//   /* In a kernel at the key: */
//   if (!status) status = tenon_op_redispatch(op, keys & tenon_keyset_below(key), stack);

TENON_BEGIN_DECLS

/* A key set has backend bits 0-23 and functionality bits 24-63: functionality n is bit 24 + n. It
 * stands for the cross product of its functionalities and its backends. Highest functionality
 * wins, then highest backend. */
#define TENON_BACKEND_BITS 24
#define TENON_BACKEND_CPU 0u
#define TENON_BACKEND_CUDA 1u
#define TENON_BACKEND_META 23u

/* Functionality numbers; (*) one slot per backend. Others are reserved, or of keys by name. */
#define TENON_FUNCTIONALITY_DENSE 0u /* (*) */
#define TENON_FUNCTIONALITY_BACKEND_SELECT 7u
#define TENON_FUNCTIONALITY_FAKE 10u
#define TENON_FUNCTIONALITY_WRAPPER 12u
#define TENON_FUNCTIONALITY_TRANSFORM_BACK 14u
#define TENON_FUNCTIONALITY_FUNCTIONALIZE 15u
#define TENON_FUNCTIONALITY_CONJUGATE 16u
#define TENON_FUNCTIONALITY_NEGATIVE 17u
#define TENON_FUNCTIONALITY_ZERO_TENSOR 18u
#define TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW 20u
#define TENON_FUNCTIONALITY_AUTOGRAD 22u /* (*) */
#define TENON_FUNCTIONALITY_TRACER 24u
#define TENON_FUNCTIONALITY_AUTOCAST 27u /* (*) */
#define TENON_FUNCTIONALITY_SYMBOLIC 28u
#define TENON_FUNCTIONALITY_BATCHED 30u
#define TENON_FUNCTIONALITY_TRANSFORM_FRONT 33u
#define TENON_FUNCTIONALITY_OVERRIDE 36u

/* Runtime keys: functionality | backend << 8. */
#define TENON_KEY_CPU 0u
#define TENON_KEY_CUDA (TENON_BACKEND_CUDA << 8)
#define TENON_KEY_META (TENON_BACKEND_META << 8)
#define TENON_KEY_BACKEND_SELECT TENON_FUNCTIONALITY_BACKEND_SELECT
#define TENON_KEY_FAKE TENON_FUNCTIONALITY_FAKE
#define TENON_KEY_WRAPPER TENON_FUNCTIONALITY_WRAPPER
#define TENON_KEY_TRANSFORM_BACK TENON_FUNCTIONALITY_TRANSFORM_BACK
#define TENON_KEY_FUNCTIONALIZE TENON_FUNCTIONALITY_FUNCTIONALIZE
#define TENON_KEY_AD_INPLACE_OR_VIEW TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW
#define TENON_KEY_AUTOGRAD_CPU TENON_FUNCTIONALITY_AUTOGRAD
#define TENON_KEY_AUTOGRAD_CUDA (TENON_FUNCTIONALITY_AUTOGRAD | TENON_BACKEND_CUDA << 8)
#define TENON_KEY_AUTOGRAD_META (TENON_FUNCTIONALITY_AUTOGRAD | TENON_BACKEND_META << 8)
#define TENON_KEY_TRACER TENON_FUNCTIONALITY_TRACER
#define TENON_KEY_AUTOCAST_CPU TENON_FUNCTIONALITY_AUTOCAST
#define TENON_KEY_AUTOCAST_CUDA (TENON_FUNCTIONALITY_AUTOCAST | TENON_BACKEND_CUDA << 8)
#define TENON_KEY_SYMBOLIC TENON_FUNCTIONALITY_SYMBOLIC
#define TENON_KEY_BATCHED TENON_FUNCTIONALITY_BATCHED
#define TENON_KEY_TRANSFORM_FRONT TENON_FUNCTIONALITY_TRANSFORM_FRONT
#define TENON_KEY_OVERRIDE TENON_FUNCTIONALITY_OVERRIDE

/* The empty set's slot, of operators without tensors. Composites fill it; it is no key of a set. */
#define TENON_KEY_UNDEFINED 0xFFFFu

/* Alias keys: one name for many runtime keys, resolved at registration. */
#define TENON_KEY_ALIAS_FIRST 0x10000u
#define TENON_KEY_AUTOGRAD 0x10000u
#define TENON_KEY_AUTOCAST 0x10001u
#define TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD 0x10002u
#define TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD 0x10003u
#define TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL 0x10004u
#define TENON_KEY_BATCHED_DECOMPOSITION 0x10005u

/* "No key given": the library's key, and without one CompositeImplicitAutograd. */
#define TENON_KEY_NONE 0xFFFFFFFFu

/// Finds a key by name: "CPU", "AutogradCUDA", "CompositeExplicitAutograd", "BackendSelect" and so
/// on, "Undefined" included. "Dense" and other building blocks are no keys.
///
/// Errors:    TENON_ERROR_NOT_FOUND naming the text, and keys of nearly that name.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_key_parse(const char* name, tenon_key* out_key);

/// Returns the name of a key, "unknown" for an unknown one.
///
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_key_name(tenon_key key);

/// Returns the Dense key of a device type such as "cuda", for "impl per device".
///
/// Errors:    TENON_ERROR_NOT_FOUND; the message lists the device names that exist.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_key_for_device(const char* device_type, tenon_key* out_key);

/// Gives a backend bit and device type number to a new backend, such as "npu". The same name again
/// returns the same number.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad name or one that is a key's,
///            TENON_ERROR_STATE when all backend numbers are taken.
/// Threads:   any thread; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_backend_register(const char* name, int32_t* out_device_type);

/* Flags of tenon_functionality_register. */
#define TENON_KEY_FLAG_ABOVE 1u       /* place it above the anchor; otherwise below */
#define TENON_KEY_FLAG_PER_BACKEND 2u /* one slot per backend */
#define TENON_KEY_FLAG_INCLUDED 4u    /* every thread adds it to its calls, by default */
#define TENON_KEY_FLAG_EXCLUDED 8u    /* every thread keeps it out of its calls, by default */

/// Declares a functionality key by name, next to a known functionality such as "Autograd": the
/// nearest free lower number, or with TENON_KEY_FLAG_ABOVE the nearest higher one. The same
/// name, anchor and flags again return the same key. Until a kernel or fallback is registered for
/// it, a call that has it as its highest key fails with TENON_ERROR_NO_KERNEL, or, where the key is
/// INCLUDED, skips it.
///
/// A key that is INCLUDED (as BackendSelect is) or EXCLUDED (as Autocast is) has this default on
/// all threads, those that run already too: each of their calls that begins after this returned
/// has it, inside of guards as well. A guard or thread state from before that is left or entered
/// later restores what it knows, and the key to its default. Guards turn keys off and on as ever:
/// tenon_key_guard_exclude an included one, tenon_key_guard_force without it an excluded one.
///
/// Errors:    TENON_ERROR_NOT_FOUND for the anchor, TENON_ERROR_STATE when the gap is full; the
///            message names what is in it and where room is left, TENON_ERROR_ALREADY_EXISTS when
///            the name is taken, TENON_ERROR_INVALID_ARGUMENT for the name, for unknown flags, and
///            for both defaults at once.
/// Threads:   any thread; *blocks* while all dispatch tables are rebuilt.
/// Since:     0.1
TENON_API tenon_status tenon_functionality_register(const char* name, const char* anchor,
                                                    uint32_t flags, tenon_key* out_key);

/// Returns the set that stands for one runtime key: its functionality bit and, for keys with one
/// slot per backend, its backend bit.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an alias key or the Undefined key.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_keyset_from_key(tenon_key key, tenon_keyset* out_keys);

/// Tells whether the set has a key (both its bits): 1 or 0.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_keyset_has(tenon_keyset keys, tenon_key key);

/// Returns the key that a call with this set goes to, TENON_KEY_UNDEFINED for one without
/// functionality bits.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_key tenon_keyset_highest(tenon_keyset keys);

/// Returns all functionalities strictly below the key's, with all backends: AND it with a kernel's
/// key set to redispatch below that key. Alias keys use the lowest functionality they name.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_keyset tenon_keyset_below(tenon_key key);

/// Removes a key's functionality bit; backend bits stay.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_keyset tenon_keyset_remove(tenon_keyset keys, tenon_key key);

/// Writes the runtime keys of a set as text, highest first, such as "{AutogradCPU, CPU}".
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_keyset_print(tenon_keyset keys, tenon_buffer** out_text);

/// Returns the keys that the calling thread adds to every call: of its guards and its grad mode.
///
/// Threads:   any thread; the calling thread's.
/// Since:     0.1
TENON_API tenon_keyset tenon_keyset_included(void);

/// Returns the keys that the calling thread removes from every call, after adding: those of its
/// guards. What the grad mode takes away for most operators is not among them, see grad_mode.h.
///
/// Threads:   any thread; the calling thread's.
/// Since:     0.1
TENON_API tenon_keyset tenon_keyset_excluded(void);

/// Returns all runtime keys that have slots, highest last, as a buffer of tenon_key.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_keys`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_key_list(tenon_buffer** out_keys);

TENON_END_DECLS

#endif /* TENON_KEY_H */
