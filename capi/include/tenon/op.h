/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: finding and calling them, boxed and typed, and redispatching from inside a kernel. */
#ifndef TENON_OP_H
#define TENON_OP_H

#include "tenon/common.h"
#include "tenon/value.h"

TENON_BEGIN_DECLS

/* A boxed kernel. `keys` is the key set that the call was dispatched with: its highest key is the
 * one this kernel serves. Returns TENON_OK with all results written, or a code with the error in
 * stack->error or in the thread's slot. Nothing may be thrown or longjmp'ed out of it. */
typedef tenon_status (*tenon_kernel_fn)(void* ctx, const tenon_op* op, tenon_keyset keys,
                                        tenon_stack* stack);

/* A typed kernel: `tenon_status f(const tenon_frame*, args..., outs...)`, cast to this type. */
typedef void (*tenon_typed_fn)(void);

/* Lowered types of a typed kernel's parameters, one letter each. A signature is
 * "<argument letters>><result letters>" and travels as its 64-bit FNV-1a hash (offset basis
 * 0xcbf29ce484222325, prime 0x100000001b3), never 0.
 *
 *   T  Tensor, Tensor?                      tenon_tensor*, NULL = absent
 *   i  int, SymInt, ScalarType, Layout,
 *      MemoryFormat, DeviceIndex            int64_t
 *   b  bool                                 int64_t, 0 or 1
 *   d  float                                double
 *   I  int[], SymInt[]                      const int64_t*, int64_t count
 *   D  float[]                              const double*, int64_t count
 *   B  bool[]                               const uint8_t*, int64_t count
 *   L  Tensor[], Tensor?[]                  tenon_tensor* const*, int64_t count
 *   s  str                                  const char*, int64_t size
 *   v  everything else                      const tenon_value*
 *
 * Results: T tenon_tensor** (+1), i and b int64_t*, d double*, v tenon_value* (owned). A return
 * that is a written argument has no letter and no out. Outs are written on success only.
 *
 * Test vectors: ">"      0xaf63b34c8601a6e1
 *               "T>T"    0x6c62fe19e196c2e9
 *               "TT>T"   0xa3775cfad220a37f
 *               "TTv>T"  0x75248d31ac81c403 */

/* What serves a call. Fixed layout. Borrowed until the frame that it was asked with is left. */
typedef struct tenon_entry {
  tenon_kernel_fn boxed;
  void* ctx;
  tenon_typed_fn typed;      /* NULL when there is only the boxed form */
  uint64_t signature;        /* of `typed`, 0 without one */
  uint32_t language;         /* TENON_LANGUAGE_* of the kernel */
  uint32_t flags;            /* TENON_KERNEL_* of library.h */
  int64_t noblock_max_numel; /* up to this many elements the kernel is quick and never waits */
} tenon_entry;

/* One running dispatch, in memory of the caller. Filled by begin or resolve. */
typedef struct tenon_frame {
  const tenon_op* op;
  void* ctx;
  tenon_keyset keys;
  void** leave_word; /* leaving is one release store: *leave_word = leave_value */
  void* leave_value;
  tenon_error* error; /* NULL; a typed kernel that fails may put an owned error here */
  uint64_t reserved[2];
} tenon_frame;

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

/// Calls an operator with boxed arguments.
///
/// `stack->args` holds `stack->nargs` values in schema order; defaults are not filled in.
/// Errors:    TENON_ERROR_TYPE when the count or a tensor position's tag differs from the schema,
///            TENON_ERROR_NO_KERNEL when no kernel serves the computed key, or what the kernel
///            raised. The error is in the thread's slot; stack->error is NULL again.
/// Ownership: arguments are borrowed; results are new references, cleared by the caller.
/// Threads:   any thread; uses the calling thread's keys.
/// Since:     0.1
TENON_CALL_API tenon_status tenon_op_call(const tenon_op* op, tenon_stack* stack);

/// Calls an operator as tenon_op_call does, after checking the type of every argument.
///
/// Errors:    TENON_ERROR_TYPE naming operator, argument, expected and actual type; else as
///            tenon_op_call.
/// Ownership: as tenon_op_call.
/// Threads:   any thread; uses the calling thread's keys.
/// Since:     0.1
TENON_API tenon_status tenon_op_call_checked(const tenon_op* op, tenon_stack* stack);

/// Calls, from inside a kernel, the kernel that serves `keys`, on the same stack. The thread's keys
/// are not consulted. Results must still be NONE.
///
/// Errors:    as tenon_op_call, but the error stays in stack->error: the kernel returns the code.
/// Ownership: as tenon_op_call.
/// Threads:   any thread.
/// Since:     0.1
TENON_CALL_API tenon_status tenon_op_redispatch(const tenon_op* op, tenon_keyset keys,
                                                tenon_stack* stack);

/// Calls the kernel or fallback of one runtime key, whatever the arguments carry.
///
/// Errors:    TENON_ERROR_NO_KERNEL when that key has none, TENON_ERROR_INVALID_ARGUMENT for an
///            alias or unknown key; else as tenon_op_call.
/// Ownership: as tenon_op_call.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_call_key(const tenon_op* op, tenon_key key, tenon_stack* stack);

/// Checks count and types of arguments against the schema without calling.
///
/// Errors:    TENON_ERROR_TYPE naming operator, argument, expected and actual type;
///            TENON_ERROR_NOT_FOUND when the operator has no schema.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_check_arguments(const tenon_op* op, const tenon_value* args,
                                                int64_t nargs);

/// Computes the key set that a call with these arguments would be dispatched with.
///
/// Errors:    as tenon_op_call, for count and tags.
/// Threads:   any thread; uses the calling thread's keys.
/// Since:     0.1
TENON_API tenon_status tenon_op_compute_keys(const tenon_op* op, const tenon_value* args,
                                             int64_t nargs, tenon_keyset* out_keys);

/// Begins a typed call of an operator whose only tensor argument is `a` (NULL = absent): finds the
/// kernel, marks it running and fills `out_frame`. The caller compares `signature`, calls `typed`
/// (or boxes its arguments and calls tenon_op_invoke), then leaves with tenon_op_end.
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread: the frame is left on the same thread, also on failure.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_op_begin1(const tenon_op* op, const tenon_tensor* a,
                                                  tenon_frame* out_frame);

/// Begins a typed call with two tensor arguments; see tenon_op_begin1.
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_op_begin2(const tenon_op* op, const tenon_tensor* a,
                                                  const tenon_tensor* b, tenon_frame* out_frame);

/// Begins a typed call with three tensor arguments; see tenon_op_begin1.
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_op_begin3(const tenon_op* op, const tenon_tensor* a,
                                                  const tenon_tensor* b, const tenon_tensor* c,
                                                  tenon_frame* out_frame);

/// Begins a typed call with `count` tensors (elements of tensor lists included, NULL = absent);
/// zero for factories, whose backend then comes from `device` (NULL = none given).
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_op_begin_n(const tenon_op* op, tenon_tensor* const* tensors,
                                                   int64_t count, const tenon_device* device,
                                                   tenon_frame* out_frame);

/// Begins a typed redispatch with an explicit key set; the thread's keys are not consulted.
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_op_begin_keys(const tenon_op* op, tenon_keyset keys,
                                                      tenon_frame* out_frame);

/// Begins a call for boxed arguments of any types: checks count and tags, finds the kernel and
/// marks it running. A binding that meets a kernel of its own language calls it directly.
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left; arguments are borrowed.
/// Threads:   owner thread: the frame is left on the same thread, also on failure.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_op_resolve(const tenon_op* op, const tenon_value* args,
                                                   int64_t nargs, tenon_frame* out_frame);

/// Calls the boxed kernel of a begun or resolved frame and checks its results, but does not leave
/// the frame.
///
/// Errors:    what the kernel raised, in the slot; TENON_ERROR_TYPE for results that differ from
///            the schema. Results written by a failing kernel are cleared.
/// Ownership: as tenon_op_call.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API tenon_status tenon_op_invoke(const tenon_entry* entry, tenon_frame* frame,
                                            tenon_stack* stack);

/// Leaves a frame. `status` is what the kernel returned; when it is a failure, the frame's error
/// (or the slot's with the same code, else a new one that names the operator) ends in the slot.
///
/// Errors:    returns `status`.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API tenon_status tenon_op_end(tenon_frame* frame, tenon_status status);

/// Checks results that a binding produced itself (a kernel of its own language called directly).
///
/// Errors:    TENON_ERROR_TYPE naming operator, result, expected and actual type.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_op_check_results(const tenon_op* op, const tenon_value* rets,
                                              int64_t nrets);

TENON_END_DECLS

#endif /* TENON_OP_H */
