/* SPDX-License-Identifier: Apache-2.0 */
/* Fake tensors: shape, strides, dtype and a claimed device, without memory; fake kernels. */
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

/* Operators on fake tensors return fake tensors: all properties of the real results except for the
 * elements. Nothing is allocated, and the device that a tensor claims is not needed. The operator's
 * fake kernel computes the results, or, if there is none, its composite kernel, or its kernel for
 * Meta. A result that depends on elements raises TENON_ERROR_DATA_DEPENDENT.
 *
 * Factories create a fake tensor if TENON_DEVICE_FAKE is added to the index of their device. In a
 * fake mode, all operators create fake tensors. A mode belongs to its thread and is carried by
 * thread states. Real 0-dim tensors on the CPU can be mixed with fake tensors as numbers. Other
 * real tensors can be mixed with them only if the mode allows it. */

/// Returns 1 if a tensor is fake, otherwise 0.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_tensor_is_fake(const tenon_tensor* tensor);

/// Sets `out_device` to a tensor's device in the form that factories and operators accept. For a
/// fake tensor it includes TENON_DEVICE_FAKE, so that tensors created on it are fake, too.
/// tenon_tensor_device returns the claimed device instead.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_fake_device(const tenon_tensor* tensor, tenon_device* out_device);

/* ---- Modes ------------------------------------------------------------------------------ */

typedef struct tenon_fake_mode tenon_fake_mode; /* refcounted; keeps its fake tensors */

/* Real tensors that operators in the mode receive are converted as by tenon_tensor_copy_fake. */
#define TENON_FAKE_ALLOW_REAL 1u

/// Creates a mode; `flags` are TENON_FAKE_*.
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

/// Returns the mode that the calling thread is in, or NULL if there is none.
///
/// Ownership: new reference.
/// Threads:   any thread; reads the calling thread's mode.
/// Since:     0.1
TENON_API tenon_fake_mode* tenon_fake_mode_copy_current(void);

/// Makes a mode create the symbols of data-dependent sizes in the caller's environment.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_STATE if the mode has one.
/// Ownership: the mode keeps a reference.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_fake_mode_set_shape_env(tenon_fake_mode* mode, tenon_shape_env* env);

/// Returns the environment of a mode's data-dependent sizes. It is created on first use unless one
/// was set.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_env`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_fake_mode_shape_env(tenon_fake_mode* mode, tenon_shape_env** out_env);

/// Returns the environment in which operators create symbols for data-dependent sizes, such as the
/// number of rows that aten::nonzero returns: the one that was set for the calling thread's mode.
/// Returns NULL if none was set; then such operators fail.
///
/// Ownership: new reference.
/// Threads:   any thread; reads the calling thread's mode.
/// Since:     0.1
TENON_API tenon_shape_env* tenon_fake_copy_given_env(void);

/* The state that a mode restores. Plain memory of the caller, filled by tenon_fake_mode_enter and
 * read only by tenon_fake_mode_leave. */
typedef struct tenon_fake_guard {
  tenon_key_guard keys;
  tenon_fake_mode* outer;
  uint64_t reserved; /* zero */
} tenon_fake_guard;

/// Enters a mode: until it is left, operators on the calling thread create fake tensors.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the thread retains the mode until it is left.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_fake_mode_enter(tenon_fake_mode* mode, tenon_fake_guard* out_guard);

/// Leaves a mode: restores the keys and the mode of the time when it was entered.
///
/// Errors:    as tenon_key_guard_leave; nothing changes on failure.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_fake_mode_leave(const tenon_fake_guard* guard);

/// Creates a fake tensor with the sizes, strides, dtype and device of a real one. It requires grad
/// if the real tensor does. A view becomes a view of its base's fake tensor. A mode returns the
/// same fake tensor each time for the same real tensor. Fake tensors are returned unchanged.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for a hollow tensor, TENON_ERROR_INVALID_ARGUMENT for NULL,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `out_tensor` is owned by the caller. `mode` may be NULL; otherwise it keeps the fake
///            tensor while the real one lives.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_copy_fake(tenon_tensor* tensor, tenon_fake_mode* mode,
                                              tenon_tensor** out_tensor);

/// Creates a fake tensor like a real or fake one, but with symbolic sizes. `sizes` has a word
/// (symbol.h) for each dim: a number that equals the tensor's size, or a symbol whose hint equals
/// it. If `sizes` is NULL, each size of 2 and more becomes a new symbol of `env`; otherwise `env`
/// must be NULL. Strides of contiguous dims are computed from the sizes; other strides stay
/// numbers. The result requires grad if `tensor` does.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, a size that differs from the tensor's and
///            symbols of two environments; TENON_ERROR_NOT_SUPPORTED for a tensor that is hollow or
///            has symbolic sizes already, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `out_tensor` is owned by the caller; it keeps the environment of its symbols.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_copy_symbolic(tenon_tensor* tensor, tenon_shape_env* env,
                                                  const int64_t* sizes, tenon_tensor** out_tensor);

/// Creates a fake tensor with symbolic sizes in a mode's environment, by name. `names` has an
/// element for each dim: NULL keeps the number, "" makes a new symbol if the size is 2 or more, and
/// a name denotes a size that is the same in all tensors. From then on operators in the mode create
/// symbols for data-dependent sizes, as after tenon_fake_mode_set_shape_env.
///
/// Errors:    as tenon_tensor_copy_symbolic; TENON_ERROR_INVALID_ARGUMENT for a named size that is
///            0 or 1, or that differs from an earlier size of this name.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_fake_mode_copy_dynamic(tenon_fake_mode* mode, tenon_tensor* tensor,
                                                    const char* const* names,
                                                    tenon_tensor** out_tensor);

/* ---- Fake kernels ----------------------------------------------------------------------- */

/// Registers the fake kernel of an operator, which creates its results without computing their
/// elements. It also serves tensors on Meta. On fake tensors it runs as in a mode, so that the
/// tensors it creates are fake.
///
/// Errors:    TENON_ERROR_ALREADY_EXISTS if the operator has a fake kernel, unless the policy is
///            TENON_REPLACE_OVERRIDE, or has a kernel for Meta that is no fake kernel;
///            TENON_ERROR_INVALID_ARGUMENT if its CompositeImplicitAutograd kernel serves it, and
///            otherwise as tenon_library_impl.
/// Ownership: takes over kernel->ctx, also on failure. `out_registration` (may be NULL) is owned
///            by the caller.
/// Threads:   any thread; *blocks*, runs listeners.
/// Since:     0.1
TENON_API tenon_status tenon_library_register_fake(tenon_library* library, const char* name,
                                                   const tenon_kernel* kernel,
                                                   tenon_registration** out_registration);

/// Returns the operator whose fake kernel runs on fake tensors on the calling thread, the innermost
/// one if there are several. Returns NULL if there is none, or if the fake kernel runs on Meta
/// tensors.
///
/// Ownership: static.
/// Threads:   any thread; reads the calling thread's state.
/// Since:     0.1
TENON_API const tenon_op* tenon_fake_running(void);

/// Creates a data-dependent size for the running fake kernel: an unbacked symbol from `min` to
/// `max` (INT64_MAX: no bound). It belongs to the environment of the thread's mode, or of the
/// thread if it is in no mode.
///
/// Errors:    TENON_ERROR_STATE if no fake kernel runs on fake tensors,
///            TENON_ERROR_INVALID_ARGUMENT for a `min` below 0 or above `max`,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `out_size` is owned by the caller.
/// Threads:   any thread; uses the calling thread's mode.
/// Since:     0.1
TENON_API tenon_status tenon_fake_new_size(int64_t min, int64_t max, tenon_value* out_size);

TENON_END_DECLS

#endif /* TENON_FAKE_H */
