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
 * represents the cross product of its functionalities and its backends. The highest key is that of
 * the highest functionality, and within it of the highest backend. */
#define TENON_BACKEND_BITS 24
#define TENON_BACKEND_CPU 0u
#define TENON_BACKEND_CUDA 1u
#define TENON_BACKEND_META 23u

/* Functionality numbers; (*): one slot per backend. Other numbers are reserved or registrable. */
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

/* The slot of the empty set, for operators without tensors. Composites serve it; no set contains
 * it. */
#define TENON_KEY_UNDEFINED 0xFFFFu

/* Alias keys: one name for several runtime keys, resolved at registration. */
#define TENON_KEY_ALIAS_FIRST 0x10000u
#define TENON_KEY_AUTOGRAD 0x10000u
#define TENON_KEY_AUTOCAST 0x10001u
#define TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD 0x10002u
#define TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD 0x10003u
#define TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL 0x10004u
#define TENON_KEY_BATCHED_DECOMPOSITION 0x10005u

/* "No key given": the library's key, or CompositeImplicitAutograd if the library has none. */
#define TENON_KEY_NONE 0xFFFFFFFFu

/// Finds a key by name: "CPU", "AutogradCUDA", "CompositeExplicitAutograd", "BackendSelect" and so
/// on, including "Undefined". "Dense" and other building blocks are not keys.
///
/// Errors:    TENON_ERROR_NOT_FOUND naming the text, and keys with a similar name.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_key_parse(const char* name, tenon_key* out_key);

/// Returns the name of a key, or "unknown" for an unknown key.
///
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_key_name(tenon_key key);

/// Returns the Dense key of a device type such as "cuda", to register kernels per device.
///
/// Errors:    TENON_ERROR_NOT_FOUND; the message lists the device names that exist.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_key_for_device(const char* device_type, tenon_key* out_key);

/// Registers a backend, such as "npu", and returns its backend bit, which is also its device type
/// number. Registering the same name again returns the same number.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad name or the name of a key, TENON_ERROR_STATE
///            if all backend numbers are taken.
/// Threads:   any thread; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_backend_register(const char* name, int32_t* out_device_type);

/* Flags of tenon_functionality_register. */
#define TENON_KEY_FLAG_ABOVE 1u       /* place it above the anchor; otherwise below */
#define TENON_KEY_FLAG_PER_BACKEND 2u /* one slot per backend */
#define TENON_KEY_FLAG_INCLUDED 4u    /* by default, every thread adds it to its calls */
#define TENON_KEY_FLAG_EXCLUDED 8u    /* by default, every thread removes it from its calls */

/// Declares a functionality key by name, next to a known functionality such as "Autograd". It gets
/// the nearest free number below the anchor, or with TENON_KEY_FLAG_ABOVE the nearest free one
/// above. Declaring the same name, anchor and flags again returns the same key. Until a kernel or
/// fallback is registered for the key, a call with it as its highest key fails with
/// TENON_ERROR_NO_KERNEL; if the key is INCLUDED, the call skips it instead.
///
/// A key that is INCLUDED (as BackendSelect is) or EXCLUDED (as Autocast is) has this default on
/// all threads, including those that are already running: it applies to each call that begins after
/// this function has returned, inside of guards as well. A guard or thread state that was captured
/// before and is left or entered later restores the keys that it knows, and sets this key to its
/// default. Guards can turn such keys off and on as usual: tenon_key_guard_exclude turns off an
/// included key, and tenon_key_guard_force, called without the key, turns on an excluded one.
///
/// Errors:    TENON_ERROR_NOT_FOUND for the anchor, TENON_ERROR_STATE if the gap is full (the
///            message lists what is in it and where numbers are free), TENON_ERROR_ALREADY_EXISTS
///            if the name is taken, TENON_ERROR_INVALID_ARGUMENT for the name, for unknown flags,
///            and for both defaults at once.
/// Threads:   any thread; *blocks* while all dispatch tables are rebuilt.
/// Since:     0.1
TENON_API tenon_status tenon_functionality_register(const char* name, const char* anchor,
                                                    uint32_t flags, tenon_key* out_key);

/// Returns the set that represents one runtime key: its functionality bit and, for keys with one
/// slot per backend, its backend bit.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an alias key or the Undefined key.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_keyset_from_key(tenon_key key, tenon_keyset* out_keys);

/// Returns 1 if a set has a key (both its bits), otherwise 0.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_keyset_has(tenon_keyset keys, tenon_key key);

/// Returns the key that a call with this set is dispatched to, or TENON_KEY_UNDEFINED if the set
/// has no functionality bits.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_key tenon_keyset_highest(tenon_keyset keys);

/// Returns all functionalities strictly below that of a key, with all backends. A kernel that
/// redispatches below the key passes the AND of this set and its own key set. For an alias key, the
/// lowest of its functionalities counts.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_keyset tenon_keyset_below(tenon_key key);

/// Removes a key's functionality bit from a set. Backend bits are kept.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_keyset tenon_keyset_remove(tenon_keyset keys, tenon_key key);

/// Prints the runtime keys of a set as text, highest first, such as "{AutogradCPU, CPU}".
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_keyset_print(tenon_keyset keys, tenon_buffer** out_text);

/// Returns the keys that the calling thread adds to every call, because of its guards and grad
/// mode.
///
/// Threads:   any thread; the calling thread's.
/// Since:     0.1
TENON_API tenon_keyset tenon_keyset_included(void);

/// Returns the keys that the calling thread's guards remove from every call, after its included
/// keys were added. Keys that the grad mode removes for most operators are not among them, see
/// grad_mode.h.
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
