/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: running dispatches, which bindings and typed callers begin, call and leave. */
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

/* Describes the kernel that serves a call. Fixed layout. Borrowed until the frame that was begun
 * with it is left. */
typedef struct tenon_entry {
  tenon_kernel_fn boxed;
  void* ctx;
  tenon_typed_fn typed;      /* NULL if there is only the boxed form */
  uint64_t signature;        /* of `typed`; 0 if that is NULL */
  uint32_t language;         /* TENON_LANGUAGE_* of the kernel */
  uint32_t flags;            /* TENON_KERNEL_* of kernel.h */
  int64_t noblock_max_numel; /* largest number of elements for which NOBLOCK holds */
  uint64_t reserved[2];      /* zero */
} tenon_entry;

/* A running dispatch, in memory of the caller. It is filled by the function that begins it. */
typedef struct tenon_frame {
  const tenon_op* op;
  void* ctx;
  tenon_keyset keys;
  void** leave_word; /* leaving is one release store: *leave_word = leave_value */
  void* leave_value;
  tenon_error* error;       /* NULL; a typed kernel that fails may put an owned error here */
  uint64_t state;           /* private to the library */
  const tenon_entry* entry; /* private to the library */
} tenon_frame;

/// Begins a typed call of an operator whose only tensor argument is `a` (NULL = absent): finds the
/// kernel, marks it as running and fills `out_frame`. The caller compares `signature`, calls
/// `typed` (or boxes its arguments and calls tenon_frame_call), and then leaves the frame with
/// tenon_frame_leave, or after a failure with tenon_frame_end.
///
/// Errors:    returns NULL with the error in the slot; there is no frame to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread: the frame must be left on the same thread, also on failure.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin1(const tenon_op* op, const tenon_tensor* a,
                                                     tenon_frame* out_frame);

/// Begins a typed call with two tensor arguments; see tenon_frame_begin1.
///
/// Errors:    returns NULL with the error in the slot; there is no frame to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin2(const tenon_op* op, const tenon_tensor* a,
                                                     const tenon_tensor* b, tenon_frame* out_frame);

/// Begins a typed call with three tensor arguments; see tenon_frame_begin1.
///
/// Errors:    returns NULL with the error in the slot; there is no frame to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin3(const tenon_op* op, const tenon_tensor* a,
                                                     const tenon_tensor* b, const tenon_tensor* c,
                                                     tenon_frame* out_frame);

/// Begins a typed call with `count` tensors, which include the elements of tensor lists (NULL =
/// absent).
///
/// Errors:    returns NULL with the error in the slot; there is no frame to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread; *blocks* if a plugin must be loaded.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin_n(const tenon_op* op,
                                                      tenon_tensor* const* tensors, int64_t count,
                                                      tenon_frame* out_frame);

/// Begins a typed call of an operator without tensor arguments. The backend is that of `device`, or
/// the CPU if `device` is NULL.
///
/// Errors:    returns NULL with the error in the slot; there is no frame to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread; *blocks* if a plugin must be loaded.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin_factory(const tenon_op* op,
                                                            const tenon_device* device,
                                                            tenon_frame* out_frame);

/// Begins a typed redispatch with an explicit key set. The thread's keys are not consulted.
///
/// Errors:    returns NULL with the error in the slot; there is no frame to leave.
/// Ownership: the entry is borrowed until the frame is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin_keys(const tenon_op* op, tenon_keyset keys,
                                                         tenon_frame* out_frame);

/// Begins a call with boxed arguments of any types: checks their number and tags, finds the kernel
/// and marks it as running. If the kernel is written in the binding's own language, the binding may
/// call it directly.
///
/// Errors:    returns NULL with the error in the slot; there is no frame to leave.
/// Ownership: the entry is borrowed until the frame is left; arguments are borrowed.
/// Threads:   owner thread: the frame must be left on the same thread, also on failure.
/// Since:     0.1
TENON_CALL_API const tenon_entry* tenon_frame_begin_boxed(const tenon_op* op,
                                                          const tenon_value* args, int64_t nargs,
                                                          tenon_frame* out_frame);

/// Calls the boxed kernel of a begun frame and checks its results, but does not leave the frame. If
/// the frame was not begun with tenon_frame_begin_boxed, the arguments are checked first. No
/// argument is NULL.
///
/// Errors:    the kernel's error, in the slot; TENON_ERROR_TYPE for results that do not match the
///            schema. Results written by a failing kernel are cleared.
/// Ownership: as tenon_op_call.
/// Threads:   owner thread; *blocks* unless the kernel is NOBLOCK.
/// Since:     0.1
TENON_CALL_API tenon_status tenon_frame_call(tenon_frame* frame, tenon_stack* stack);

/// Leaves a frame. `status` is the status that the kernel returned. If it is a failure, the
/// thread's slot holds the error afterwards: the frame's error, or the slot's error if that has the
/// same code, or otherwise a new error that names the operator. No argument is NULL.
///
/// Errors:    returns `status`.
/// Threads:   owner thread.
/// Since:     0.1
TENON_CALL_API tenon_status tenon_frame_end(tenon_frame* frame, tenon_status status);

/// Leaves a frame whose typed kernel returned TENON_OK, but stored NULL for the tensor of result
/// `index`, which the schema declares as `Tensor`. Typed callers must check for this case, because
/// kernels may be foreign code. No argument is NULL.
///
/// Errors:    returns TENON_ERROR_TYPE; the error names operator, result and expected type.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_frame_end_without_result(tenon_frame* frame, int64_t index);

/* Leaves a frame after a success, with one release store. Compilers without the builtin make the
 * call instead. */
static inline void tenon_frame_leave(tenon_frame* frame) {
#if defined(__GNUC__)
  __atomic_store_n(frame->leave_word, frame->leave_value, __ATOMIC_RELEASE);
#else
  (void)tenon_frame_end(frame, 0);
#endif
}

TENON_END_DECLS

#endif /* TENON_FRAME_H */
