/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: finding and calling them, and redispatching from inside a kernel. */
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

/// Finds an operator by full name: "ns::name" or "ns::name.overload". Looking in `aten` or `tenon`
/// loads the CPU kernels when nothing is found at first.
///
/// Errors:    TENON_ERROR_NOT_FOUND; the message tells an unknown operator, an unknown overload
///            (with those that exist) and "has kernels but no schema" apart.
/// Ownership: valid for ever.
/// Threads:   any thread; *blocks* while a plugin loads.
/// Since:     0.1
TENON_API tenon_status tenon_op_find(const char* name, const tenon_op** out_op);

/// Returns the full name, such as "aten::add.Tensor".
///
/// Ownership: valid for ever.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_op_name(const tenon_op* op);

/// Returns the schema of an operator.
///
/// Errors:    TENON_ERROR_NOT_FOUND when it has none (its definition was removed).
/// Ownership: new reference in `out_schema`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_copy_schema(const tenon_op* op, tenon_schema** out_schema);

/// Calls an operator with boxed arguments. No argument is NULL.
///
/// `stack->args` holds `stack->nargs` values in schema order; defaults are not filled in.
/// Errors:    TENON_ERROR_TYPE when the count or a tensor position's tag differs from the schema,
///            TENON_ERROR_NO_KERNEL when no kernel serves the computed key, or what the kernel
///            raised. The error is in the thread's slot; stack->error is NULL again.
/// Ownership: arguments are borrowed; results are new references, cleared by the caller.
/// Threads:   any thread; uses the calling thread's keys.
/// Since:     0.1
TENON_CALL_API tenon_status tenon_op_call_fast(const tenon_op* op, tenon_stack* stack);

/// Calls an operator as tenon_op_call_fast does, after checking the type of every argument.
/// No argument is NULL.
///
/// Errors:    TENON_ERROR_TYPE naming operator, argument, expected and actual type; else as
///            tenon_op_call_fast.
/// Ownership: as tenon_op_call_fast.
/// Threads:   any thread; uses the calling thread's keys.
/// Since:     0.1
TENON_API tenon_status tenon_op_call(const tenon_op* op, tenon_stack* stack);

/// Calls, from inside a kernel, the kernel that serves `keys`, on the same stack. The thread's keys
/// are not consulted. Results must still be NONE. `keys` must be a subset of the keys that the
/// kernel was called with, so that their backend can read all tensors among the arguments. This is
/// checked if the thread runs no kernel; a kernel may check it itself with tenon_op_check_keys.
/// No argument is NULL.
///
/// Errors:    as tenon_op_call_fast, but the error stays in stack->error: the kernel returns the
///            code. Outside of any kernel also as tenon_op_check_keys.
/// Ownership: as tenon_op_call_fast.
/// Threads:   any thread.
/// Since:     0.1
TENON_CALL_API tenon_status tenon_op_redispatch(const tenon_op* op, tenon_keyset keys,
                                                tenon_stack* stack);

/// Calls the kernel or fallback of one runtime key, whatever the arguments carry.
///
/// Errors:    TENON_ERROR_NO_KERNEL when that key has none, TENON_ERROR_INVALID_ARGUMENT for an
///            alias or unknown key and for a tensor as tenon_op_check_keys; otherwise as
///            tenon_op_call_fast.
/// Ownership: as tenon_op_call_fast.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_call_key(const tenon_op* op, tenon_key key, tenon_stack* stack);

/// Binds arguments as tenon_schema_bind does, converted and with defaults filled in, and calls.
/// `rets` has room for the operator's results.
///
/// Errors:    as tenon_schema_bind and tenon_op_call; TENON_ERROR_TYPE when `nrets` is not the
///            number of results, TENON_ERROR_NOT_FOUND when the operator has no schema. All results
///            are NONE then.
/// Ownership: arguments are borrowed; results are new references, cleared by the caller.
/// Threads:   any thread; *blocks* unless the kernel is NOBLOCK.
/// Since:     0.1
TENON_API tenon_status tenon_op_call_named(const tenon_op* op, const tenon_value* positional,
                                           int64_t npositional, const char* const* names,
                                           const tenon_value* named, int64_t nnamed,
                                           tenon_value* rets, int64_t nrets);

/// Checks count and types of arguments against the schema without calling. No argument is NULL.
///
/// Errors:    TENON_ERROR_TYPE naming operator, argument, expected and actual type;
///            TENON_ERROR_NOT_FOUND when the operator has no schema.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_check_arguments(const tenon_op* op, const tenon_value* args,
                                                int64_t nargs);

/// Checks results that a binding produced itself (a kernel of its own language called directly).
///
/// Errors:    TENON_ERROR_TYPE naming operator, result, expected and actual type.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_check_results(const tenon_op* op, const tenon_value* rets,
                                              int64_t nrets);

/// Computes the key set that a call with these arguments would be dispatched with.
///
/// Errors:    as tenon_op_call_fast, for count and tags.
/// Threads:   any thread; uses the calling thread's keys.
/// Since:     0.1
TENON_API tenon_status tenon_op_compute_keys(const tenon_op* op, const tenon_value* args,
                                             int64_t nargs, tenon_keyset* out_keys);

/// Checks that the kernels selected by `keys` can read the arguments. A backend's kernel cannot
/// read tensors of a higher backend, Meta tensors, fake tensors, or wrappers and carriers unless
/// the layer that unwraps them is among `keys`. Kernels for Meta read no memory and accept all
/// tensors.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT naming operator, argument and backend,
///            TENON_ERROR_TYPE as tenon_op_call_fast.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_check_keys(const tenon_op* op, tenon_keyset keys,
                                           const tenon_value* args, int64_t nargs);

/// Returns an operator's tags, one a line.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_text`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_copy_tags(const tenon_op* op, tenon_buffer** out_text);

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

TENON_END_DECLS

#endif /* TENON_OP_H */
