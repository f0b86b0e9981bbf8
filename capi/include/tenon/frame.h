/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: one running dispatch, begun, called and left by bindings and typed callers. */
#ifndef TENON_FRAME_H
#define TENON_FRAME_H

#include "tenon/common.h"
#include "tenon/kernel.h"
#include "tenon/value.h"

// Usage:
//
//   tenon_frame frame;
//   const tenon_entry* entry = tenon_frame_begin1(op, x, &frame);
//   if (entry == NULL) return tenon_error_code(tenon_error_peek());
//   status = tenon_frame_call(&frame, stack);
//   if (status) return tenon_frame_end(&frame, status);
//   tenon_frame_leave(&frame);

TENON_BEGIN_DECLS

/* What serves a call. Fixed layout. Borrowed until the frame that it was asked with is left. */
typedef struct tenon_entry {
  tenon_kernel_fn boxed;
  void* ctx;
  tenon_typed_fn typed;      /* NULL when there is only the boxed form */
  uint64_t signature;        /* of `typed`, 0 without one */
  uint32_t language;         /* TENON_LANGUAGE_* of the kernel */
  uint32_t flags;            /* TENON_KERNEL_* of kernel.h */
  int64_t noblock_max_numel; /* up to this many elements the kernel is quick and never waits */
  uint64_t reserved[2];      /* zero */
} tenon_entry;

/* One running dispatch, in memory of the caller. Filled by the function that begins it. */
typedef struct tenon_frame {
  const tenon_op* op;
  void* ctx;
  tenon_keyset keys;
  void** leave_word; /* leaving is one release store: *leave_word = leave_value */
  void* leave_value;
  tenon_error* error;       /* NULL; a typed kernel that fails may put an owned error here */
  uint64_t state;           /* the library's */
  const tenon_entry* entry; /* the library's */
} tenon_frame;

/// Begins a typed call of an operator whose only tensor argument is `a` (NULL = absent): finds the
/// kernel, marks it running and fills `out_frame`. The caller compares `signature`, calls `typed`
/// (or boxes its arguments and calls tenon_frame_call), then leaves with
/// tenon_frame_leave, or after a failure with tenon_frame_end.
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread: the frame is left on the same thread, also on failure.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin1(const tenon_op* op, const tenon_tensor* a,
                                                     tenon_frame* out_frame);

/// Begins a typed call with two tensor arguments; see tenon_frame_begin1.
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin2(const tenon_op* op, const tenon_tensor* a,
                                                     const tenon_tensor* b, tenon_frame* out_frame);

/// Begins a typed call with three tensor arguments; see tenon_frame_begin1.
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin3(const tenon_op* op, const tenon_tensor* a,
                                                     const tenon_tensor* b, const tenon_tensor* c,
                                                     tenon_frame* out_frame);

/// Begins a typed call with `count` tensors (elements of tensor lists included, NULL = absent).
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread; *blocks* where a plugin must be loaded.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin_n(const tenon_op* op,
                                                      tenon_tensor* const* tensors, int64_t count,
                                                      tenon_frame* out_frame);

/// Begins a typed call of an operator without tensor arguments, whose backend comes from `device`
/// (NULL = none given: the CPU).
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread; *blocks* where a plugin must be loaded.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin_factory(const tenon_op* op,
                                                            const tenon_device* device,
                                                            tenon_frame* out_frame);

/// Begins a typed redispatch with an explicit key set; the thread's keys are not consulted.
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin_keys(const tenon_op* op, tenon_keyset keys,
                                                         tenon_frame* out_frame);

/// Begins a call for boxed arguments of any types: checks count and tags, finds the kernel and
/// marks it running. A binding that meets a kernel of its own language calls it directly.
///
/// Errors:    NULL is returned, the error is in the slot, and there is nothing to leave.
/// Ownership: the entry is borrowed until the frame is left; arguments are borrowed.
/// Threads:   owner thread: the frame is left on the same thread, also on failure.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin_boxed(const tenon_op* op,
                                                          const tenon_value* args, int64_t nargs,
                                                          tenon_frame* out_frame);

/// Calls the boxed kernel of a begun frame and checks its results, but does not leave the frame.
/// Where the frame was not begun with tenon_frame_begin_boxed, the arguments are checked first.
/// No argument is NULL.
///
/// Errors:    what the kernel raised, in the slot; TENON_ERROR_TYPE for results that differ from
///            the schema. Results written by a failing kernel are cleared.
/// Ownership: as tenon_op_call.
/// Threads:   owner thread; *blocks* unless the kernel is NOBLOCK.
/// Since:     0.1
TENON_CALL_API tenon_status tenon_frame_call(tenon_frame* frame, tenon_stack* stack);

/// Leaves a frame. `status` is what the kernel returned; when it is a failure, the frame's error
/// (or the slot's with the same code, else a new one that names the operator) ends in the slot.
/// No argument is NULL.
///
/// Errors:    returns `status`.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API tenon_status tenon_frame_end(tenon_frame* frame, tenon_status status);

/// Leaves a frame whose typed kernel returned TENON_OK but NULL for the tensor of result `index`,
/// where the schema says `Tensor`. Typed callers check for that: what a kernel returns is foreign.
/// No argument is NULL.
///
/// Errors:    returns TENON_ERROR_TYPE; the error names operator, result and what was expected.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_frame_end_without_result(tenon_frame* frame, int64_t index);

/* Leaves a frame after a success: one release store. Compilers without the builtin take the
 * call. */
static inline void tenon_frame_leave(tenon_frame* frame) {
#if defined(__GNUC__)
  __atomic_store_n(frame->leave_word, frame->leave_value, __ATOMIC_RELEASE);
#else
  (void)tenon_frame_end(frame, 0);
#endif
}

TENON_END_DECLS

#endif /* TENON_FRAME_H */
