/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: lookup, calls, and redispatches from inside a kernel. */
#ifndef TENON_OP_H
#define TENON_OP_H

#include "tenon/buffer.h"
#include "tenon/common.h"
#include "tenon/value.h"

// Usage:
//
//   status = tenon_op_find("aten::relu", &op);
//   if (!status) status = tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, &ret, 1);
//   /* ... ret.as.tensor ... */
//   tenon_value_clear(&ret);

TENON_BEGIN_DECLS

/// Finds an operator by its full name: "ns::name" or "ns::name.overload". If a name in `aten` or
/// `tenon` is not found at first, the CPU kernels are loaded and the lookup is repeated.
///
/// Errors:    TENON_ERROR_NOT_FOUND; the message distinguishes an unknown operator, an unknown
///            overload (it lists those that exist) and an operator that has kernels but no schema.
/// Ownership: never freed.
/// Threads:   any thread; *blocks* while a plugin loads.
/// Since:     0.1
TENON_API tenon_status tenon_op_find(const char* name, const tenon_op** out_op);

/// Returns the full name, such as "aten::add.Tensor".
///
/// Ownership: never freed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_op_name(const tenon_op* op);

/// Returns the schema of an operator.
///
/// Errors:    TENON_ERROR_NOT_FOUND if it has none because its definition was removed.
/// Ownership: new reference in `out_schema`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_copy_schema(const tenon_op* op, tenon_schema** out_schema);

/// Calls an operator with boxed arguments. No argument is NULL.
///
/// `stack->args` holds `stack->nargs` values in schema order. Defaults are not filled in.
///
/// Errors:    TENON_ERROR_TYPE if the number of arguments or the tag of a tensor argument does not
///            match the schema, TENON_ERROR_NO_KERNEL if no kernel serves the computed key, or the
///            kernel's own error. The error is in the thread's slot; stack->error is NULL again.
/// Ownership: arguments are borrowed; results are new references that the caller clears.
/// Threads:   any thread; uses the calling thread's keys.
/// Since:     0.1
TENON_CALL_API tenon_status tenon_op_call_fast(const tenon_op* op, tenon_stack* stack);

/// Calls an operator like tenon_op_call_fast, but checks the type of every argument first. No
/// argument is NULL.
///
/// Errors:    TENON_ERROR_TYPE naming operator, argument, expected and actual type; otherwise as
///            tenon_op_call_fast.
/// Ownership: as tenon_op_call_fast.
/// Threads:   any thread; uses the calling thread's keys.
/// Since:     0.1
TENON_API tenon_status tenon_op_call(const tenon_op* op, tenon_stack* stack);

/// Called from inside a kernel, redispatches the call: runs the kernel that serves `keys` on the
/// same stack. The thread's keys are not consulted. Results must still be NONE. `keys` must be a
/// subset of the keys that the kernel was called with, so that the backend can read all tensor
/// arguments. This is only checked if the thread runs no kernel; a kernel can check it with
/// tenon_op_check_keys. No argument is NULL.
///
/// Errors:    as tenon_op_call_fast, but the error stays in stack->error, and the kernel returns
///            the code. Outside of any kernel also as tenon_op_check_keys.
/// Ownership: as tenon_op_call_fast.
/// Threads:   any thread.
/// Since:     0.1
TENON_CALL_API tenon_status tenon_op_redispatch(const tenon_op* op, tenon_keyset keys,
                                                tenon_stack* stack);

/// Calls the kernel or fallback of one runtime key, regardless of the keys of the arguments.
///
/// Errors:    TENON_ERROR_NO_KERNEL if the key has none, TENON_ERROR_INVALID_ARGUMENT for an alias
///            or unknown key and for a tensor as tenon_op_check_keys; otherwise as
///            tenon_op_call_fast.
/// Ownership: as tenon_op_call_fast.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_call_key(const tenon_op* op, tenon_key key, tenon_stack* stack);

/// Calls an operator with arguments that are bound as tenon_schema_bind does: converted, and with
/// defaults filled in. `rets` must have room for the operator's results.
///
/// Errors:    as tenon_schema_bind and tenon_op_call; TENON_ERROR_TYPE if `nrets` is not the number
///            of results, TENON_ERROR_NOT_FOUND if the operator has no schema. On failure all
///            results are NONE.
/// Ownership: arguments are borrowed; results are new references that the caller clears.
/// Threads:   any thread; *blocks* unless the kernel is NOBLOCK.
/// Since:     0.1
TENON_API tenon_status tenon_op_call_named(const tenon_op* op, const tenon_value* positional,
                                           int64_t npositional, const char* const* names,
                                           const tenon_value* named, int64_t nnamed,
                                           tenon_value* rets, int64_t nrets);

/// Checks the number and types of arguments against the schema without calling the operator. No
/// argument is NULL.
///
/// Errors:    TENON_ERROR_TYPE naming operator, argument, expected and actual type;
///            TENON_ERROR_NOT_FOUND if the operator has no schema.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_check_arguments(const tenon_op* op, const tenon_value* args,
                                                int64_t nargs);

/// Checks results that a binding produced itself, by calling a kernel of its own language directly.
///
/// Errors:    TENON_ERROR_TYPE naming operator, result, expected and actual type.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_check_results(const tenon_op* op, const tenon_value* rets,
                                              int64_t nrets);

/// Computes the key set that a call with these arguments would be dispatched with.
///
/// Errors:    as tenon_op_call_fast for the number and tags of arguments.
/// Threads:   any thread; uses the calling thread's keys.
/// Since:     0.1
TENON_API tenon_status tenon_op_compute_keys(const tenon_op* op, const tenon_value* args,
                                             int64_t nargs, tenon_keyset* out_keys);

/// Checks that the kernels that `keys` selects can read the arguments. A backend's kernel cannot
/// read tensors of a higher backend, Meta tensors or fake tensors. It cannot read wrappers and
/// carriers either, unless the layer that unwraps them is among `keys`. Kernels for Meta read no
/// memory and accept all tensors.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT naming operator, argument and backend,
///            TENON_ERROR_TYPE as tenon_op_call_fast.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_check_keys(const tenon_op* op, tenon_keyset keys,
                                           const tenon_value* args, int64_t nargs);

/// Returns an operator's tags as text, one per line.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_copy_tags(const tenon_op* op, tenon_buffer** out_text);

/// Explains in words what a call with these arguments would do on this thread, without making the
/// call: which keys the arguments carry, which keys thread and operator add and remove, which key
/// the call is dispatched to, which kernel of which registration serves it and why, and which
/// kernels a redispatch from there reaches. A call that would fail is explained too, unless its
/// arguments do not match the schema.
///
/// Errors:    TENON_ERROR_TYPE as tenon_op_check_arguments, TENON_ERROR_NOT_FOUND if the operator
///            has no schema.
/// Ownership: arguments are borrowed; new reference in `out_text`.
/// Threads:   any thread; uses the calling thread's keys, modes and layers.
/// Since:     0.1
TENON_API tenon_status tenon_op_explain(const tenon_op* op, const tenon_value* args, int64_t nargs,
                                        tenon_buffer** out_text);

TENON_END_DECLS

#endif /* TENON_OP_H */
