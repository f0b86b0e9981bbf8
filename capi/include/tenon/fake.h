/* SPDX-License-Identifier: Apache-2.0 */
/* Fake tensors: shape, strides, dtype and a claimed device without memory; kernels for them. */
#ifndef TENON_FAKE_H
#define TENON_FAKE_H

#include "tenon/common.h"
#include "tenon/device.h"
#include "tenon/kernel.h"
#include "tenon/key_guard.h"
#include "tenon/library.h"
#include "tenon/symbol.h"
#include "tenon/tensor.h"
#include "tenon/value.h"

// Usage:
//
//   tenon_fake_mode* mode = NULL;
//   tenon_tensor* fake = NULL;
//   status = tenon_fake_mode_new(0, &mode);
//   if (!status) status = tenon_tensor_copy_fake(x, mode, &fake);
//   /* Operators on fake compute sizes and dtypes, and no elements. */
//   tenon_tensor_release(fake);
//   tenon_fake_mode_release(mode);

TENON_BEGIN_DECLS

/* Operators on fake tensors give fake tensors: what real ones would give, all but the elements.
 * Nothing is allocated, and nothing needs a device that a tensor claims. A fake kernel of the
 * operator serves them, else its composite kernel, else its kernel for Meta. What depends on
 * elements is TENON_ERROR_DATA_DEPENDENT.
 *
 * Constructors make a fake tensor where the index of the device that they are given has
 * TENON_DEVICE_FAKE added; all operators do in a mode, which belongs to its thread and is carried
 * by thread states. Real numbers, 0-dim tensors on the CPU, mix with fakes; other real tensors do
 * where the mode says so. */

/// Tells whether a tensor is fake (1) or not (0).
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_tensor_is_fake(const tenon_tensor* tensor);

/// Gives a tensor's device as constructors and operators take it: of a fake tensor with
/// TENON_DEVICE_FAKE, so that what is made on it is fake, too. tenon_tensor_device gives the one
/// that is claimed.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_fake_device(const tenon_tensor* tensor, tenon_device* out_device);

/* ---- Modes ------------------------------------------------------------------------------ */

typedef struct tenon_fake_mode tenon_fake_mode; /* refcounted; keeps what was made fake by it */

/* Real tensors that operators meet in the mode are made fake, as tenon_tensor_copy_fake does. */
#define TENON_FAKE_ALLOW_REAL 1u

/// Makes a mode; `flags` are TENON_FAKE_*.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for unknown flags, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `out_mode` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_fake_mode_new(uint32_t flags, tenon_fake_mode** out_mode);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_fake_mode* tenon_fake_mode_retain(tenon_fake_mode* mode);

/// Drops a reference. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_fake_mode_release(tenon_fake_mode* mode);

/// Returns the mode that the calling thread is in, NULL outside of any.
///
/// Ownership: new reference.
/// Threads:   any thread; the calling thread's.
/// Since:     0.1
TENON_API tenon_fake_mode* tenon_fake_mode_copy_current(void);

/// Has a mode make the sizes that only elements tell in an environment of the caller's.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_STATE where the mode has one.
/// Ownership: the mode keeps a reference.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_fake_mode_set_shape_env(tenon_fake_mode* mode, tenon_shape_env* env);

/// Gives the environment of the sizes that only elements tell; made when first asked for, unless
/// one was set.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_env`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_fake_mode_shape_env(tenon_fake_mode* mode, tenon_shape_env** out_env);

/// Returns the environment in which operators make symbols of what only elements tell, such as
/// aten::nonzero of its result's rows: the one that was set on the calling thread's mode. NULL
/// without: such operators fail there.
///
/// Ownership: new reference.
/// Threads:   any thread; the calling thread's.
/// Since:     0.1
TENON_API tenon_shape_env* tenon_fake_copy_given_env(void);

/* What a mode restores. Plain memory of the caller, filled by tenon_fake_mode_enter and read by
 * tenon_fake_mode_leave alone. */
typedef struct tenon_fake_guard {
  tenon_key_guard keys;
  tenon_fake_mode* outer;
  uint64_t reserved; /* zero */
} tenon_fake_guard;

/// Enters a mode: until it is left, operators on the calling thread make fake tensors.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the thread keeps the mode until it is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_fake_mode_enter(tenon_fake_mode* mode, tenon_fake_guard* out_guard);

/// Leaves a mode: keys and mode are again what they were when it was entered.
///
/// Errors:    as tenon_key_guard_leave; nothing changes then.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_fake_mode_leave(const tenon_fake_guard* guard);

/// Makes a fake tensor like a real one: of its sizes, strides, dtype and device, with gradients
/// required where they are of the real one. A view becomes a view of what its base becomes. Of a
/// tensor that a mode has seen before it is the same fake tensor; fake ones are given back.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for a tensor that stands for something else,
///            TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `out_tensor` is owned by the caller; `mode` may be NULL, else it keeps the fake
///            tensor while the real one lives.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_copy_fake(tenon_tensor* tensor, tenon_fake_mode* mode,
                                              tenon_tensor** out_tensor);

/// Makes a fake tensor like a real or fake one whose sizes are `sizes`, a word (symbol.h) for each
/// dim: numbers that the tensor has, and symbols whose hints are. `sizes` NULL: each size of 2 and
/// more becomes a new symbol of `env`, which is NULL otherwise. Strides that lie one behind the
/// other follow from sizes, others stay numbers. Gradients are required where they are of `tensor`.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, a size that is not the tensor's and symbols of
///            two environments; TENON_ERROR_NOT_SUPPORTED for a tensor that stands for something
///            else or has symbolic sizes already, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `out_tensor` is owned by the caller; it keeps the environment of its symbols.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_copy_symbolic(tenon_tensor* tensor, tenon_shape_env* env,
                                                  const int64_t* sizes, tenon_tensor** out_tensor);

/// The same with symbols of a mode's environment, by name: `names` has for each dim NULL, which
/// leaves the number, "" for a symbol of its own where the size is 2 or more, or the name of a size
/// that is the same in all tensors. Operators in the mode then make symbols of what only elements
/// tell, as with tenon_fake_mode_set_shape_env.
///
/// Errors:    as tenon_tensor_copy_symbolic; TENON_ERROR_INVALID_ARGUMENT for a named size that is
///            0 or 1, or another one than the name had before.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_fake_mode_copy_dynamic(tenon_fake_mode* mode, tenon_tensor* tensor,
                                                    const char* const* names,
                                                    tenon_tensor** out_tensor);

/* ---- Fake kernels ----------------------------------------------------------------------- */

/// Registers the fake kernel of an operator, which makes its results without computing elements.
/// It serves tensors on Meta as well. On fakes it runs as in a mode: what it makes is fake.
///
/// Errors:    TENON_ERROR_ALREADY_EXISTS where the operator has a fake kernel, unless the policy
///            is TENON_REPLACE_OVERRIDE, or a kernel for Meta that is none;
///            TENON_ERROR_INVALID_ARGUMENT where its CompositeImplicitAutograd kernel serves, and
///            else as tenon_library_impl.
/// Ownership: takes over kernel->ctx, also on failure. `out_registration` (may be NULL) is owned
///            by the caller.
/// Threads:   any thread; *blocks*, runs listeners.
/// Since:     0.1
TENON_API tenon_status tenon_library_register_fake(tenon_library* library, const char* name,
                                                   const tenon_kernel* kernel,
                                                   tenon_registration** out_registration);

/// Returns the operator whose fake kernel runs on the calling thread, the innermost one, and on
/// fakes rather than on Meta; NULL where none does.
///
/// Ownership: static.
/// Threads:   any thread; the calling thread's.
/// Since:     0.1
TENON_API const tenon_op* tenon_fake_running(void);

/// Makes a size that only elements tell, for the fake kernel that runs: an unbacked symbol from
/// `min` to `max` (INT64_MAX: any), in the environment of the thread's mode, or of the thread where
/// it is in none.
///
/// Errors:    TENON_ERROR_STATE where no fake kernel runs on fakes, TENON_ERROR_INVALID_ARGUMENT
///            for a `min` below 0 or above `max`, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `out_size` is owned by the caller.
/// Threads:   any thread; the calling thread's.
/// Since:     0.1
TENON_API tenon_status tenon_fake_new_size(int64_t min, int64_t max, tenon_value* out_size);

TENON_END_DECLS

#endif /* TENON_FAKE_H */
