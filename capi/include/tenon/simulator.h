/* SPDX-License-Identifier: Apache-2.0 */
/* Simulators: show what registrations would do, on an operator outside the registry. */
#ifndef TENON_SIMULATOR_H
#define TENON_SIMULATOR_H

#include "tenon/buffer.h"
#include "tenon/common.h"
#include "tenon/introspect.h"
#include "tenon/key.h"

// Usage:
//
//   const char* keys[] = {"CPU", "Autograd"};
//   tenon_simulator* simulator = NULL;
//   tenon_buffer* text = NULL;
//   status = tenon_simulator_new("shop::f(Tensor x) -> Tensor", &simulator);
//   if (!status) status = tenon_simulator_register(simulator, keys, 2, 0);
//   if (!status) status = tenon_simulator_print(simulator, TENON_SIMULATOR_TABLE, &text);
//   tenon_buffer_release(text);
//   tenon_simulator_release(simulator);

TENON_BEGIN_DECLS

/* An operator outside the registry, to try registrations on. It is not listed, changes no kernel of
 * a real operator, and leaves nothing behind. Refcounted. */
typedef struct tenon_simulator tenon_simulator;

/// Creates a simulator of an operator with this schema, "f(Tensor x) -> Tensor" if it is NULL. The
/// process's fallbacks serve the simulator like a real operator.
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

/// Registers a kernel named "fn_KEY" on each key, which is the name of a runtime key or an alias
/// key. `flags` is 0, or TENON_KERNEL_FALLTHROUGH for keys that calls skip. Either all keys are
/// registered or none.
///
/// Errors:    TENON_ERROR_NOT_FOUND naming what is no key; TENON_ERROR_INVALID_ARGUMENT for
///            Undefined, a key that is already registered, both CompositeImplicitAutograd and
///            CompositeExplicitAutograd, which no operator should have, and other flags.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_simulator_register(tenon_simulator* simulator, const char* const* keys,
                                                int64_t nkeys, uint32_t flags);

/// Removes the registration on a key, given by its name.
///
/// Errors:    TENON_ERROR_NOT_FOUND for a text that is no key or a key without registration.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_simulator_remove(tenon_simulator* simulator, const char* key);

/// Fills `out_info` with the slot of a runtime key (or TENON_KEY_UNDEFINED); see
/// tenon_introspect_get_slot.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an alias or unknown key, TENON_ERROR_ABI for a bad
///            struct_size.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_simulator_get_slot(const tenon_simulator* simulator, tenon_key key,
                                                tenon_slot_info* out_info);

/* Texts that tenon_simulator_print can write. Append-only. */
#define TENON_SIMULATOR_REGISTRATIONS 0u     /* keys and their kernels */
#define TENON_SIMULATOR_TABLE 1u             /* slots that the registrations serve */
#define TENON_SIMULATOR_RAW_REGISTRATIONS 2u /* as tenon_introspect_dump */
#define TENON_SIMULATOR_RAW_TABLE 3u /* as tenon_introspect_dump_table, fallbacks included */

/// Prints the registrations or the computed table as text.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown `what` (TENON_SIMULATOR_*).
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_simulator_print(const tenon_simulator* simulator, uint32_t what,
                                             tenon_buffer** out_text);

/// Explains in words what a call with this key set would do; see tenon_op_explain.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread; the thread's keys are not consulted.
/// Since:     0.1
TENON_API tenon_status tenon_simulator_explain(const tenon_simulator* simulator, tenon_keyset keys,
                                               tenon_buffer** out_text);

TENON_END_DECLS

#endif /* TENON_SIMULATOR_H */
