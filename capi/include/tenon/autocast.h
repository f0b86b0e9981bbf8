/* SPDX-License-Identifier: Apache-2.0 */
/* Autocast: regions in which operators choose the precision in which they compute. */
#ifndef TENON_AUTOCAST_H
#define TENON_AUTOCAST_H

#include "tenon/common.h"
#include "tenon/key_guard.h"
#include "tenon/library.h"
#include "tenon/types.h"
#include "tenon/value.h"

// Usage:
//
//   tenon_autocast_state state = {sizeof state, TENON_AUTOCAST_ENABLED, TENON_DTYPE_BF16};
//   tenon_autocast_guard guard;
//   status = tenon_autocast_enter(TENON_DEVICE_CPU, &state, &guard);
//   if (status) return status;
//   status = tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, &ret, 1);
//   if (!status) status = tenon_autocast_leave(&guard);

TENON_BEGIN_DECLS

/* A region has one device type. Calls with tensors of that type are dispatched to Autocast. There
 * the operator's cast rule, or a kernel that was registered for the key, converts the arguments and
 * calls the operator again. Operators without either fall through. A tensor is eligible for a cast
 * if it is on the region's device type and has a floating dtype other than float64; all other
 * tensors are left unchanged. Thread states carry regions to other threads. */

#define TENON_AUTOCAST_ENABLED 1u
#define TENON_AUTOCAST_CACHE 2u /* for all device types: casts of leaves are cached */

/* Autocast settings of a device type. */
typedef struct tenon_autocast_state {
  uint32_t struct_size; /* sizeof(tenon_autocast_state) */
  uint32_t flags;       /* TENON_AUTOCAST_* */
  tenon_dtype dtype;    /* the lower precision: a floating dtype */
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_autocast_state;

/* The state that a region restores. Plain memory of the caller, filled by tenon_autocast_enter and
 * read only by tenon_autocast_leave. */
typedef struct tenon_autocast_guard {
  tenon_key_guard keys;
  int32_t device_type;
  tenon_dtype dtype;
  uint32_t enabled; /* device types */
  uint32_t flags;
  uint64_t reserved; /* zero */
} tenon_autocast_guard;

/// Enters a region of a device type. If `state_or_null` is NULL, the region is enabled, with the
/// dtype and the cache setting of the thread. Their defaults are bfloat16 for CPU, float16 for all
/// other device types, and the cache enabled. A region that is not enabled suspends an outer one of
/// its device type.
///
/// The cache keeps casts to the region's dtype of float32 leaves that require grad, until the
/// outermost region is left. It does not keep the leaves themselves. A leaf that was written since
/// it was cast is cast again.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a device type that has no autocast (Meta, and
///            unknown ones), for unknown flags, and for a reserved word that is not zero;
///            TENON_ERROR_TYPE for a dtype that is not floating; TENON_ERROR_ABI for a bad
///            struct_size; TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_autocast_enter(int32_t device_type,
                                            const tenon_autocast_state* state_or_null,
                                            tenon_autocast_guard* out_guard);

/// Leaves a region: restores the autocast settings of the time when it was entered. Leaving the
/// outermost region empties the cache.
///
/// Errors:    TENON_ERROR_STATE on another thread than the one that entered it, and for a guard
///            that is not the innermost of its thread. Nothing changes on failure.
/// Threads:   owner thread; runs the deleters of cached tensors' memory.
/// Since:     0.1
TENON_API tenon_status tenon_autocast_leave(const tenon_autocast_guard* guard);

/// Sets the autocast settings of the calling thread, outside of regions too, until they are set
/// again or an enclosing guard is left.
///
/// Errors:    as tenon_autocast_enter.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_autocast_set(int32_t device_type, const tenon_autocast_state* state);

/// Returns the autocast settings of the calling thread. While Autocast is excluded, they are
/// reported as not enabled.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a device type that has no autocast, TENON_ERROR_ABI
///            for a bad struct_size of `out_state`, which the caller sets.
/// Threads:   any thread; reads the calling thread's settings.
/// Since:     0.1
TENON_API tenon_status tenon_autocast_get(int32_t device_type, tenon_autocast_state* out_state);

/// Empties the calling thread's cache of casts.
///
/// Threads:   owner thread; runs the deleters of cached tensors' memory.
/// Since:     0.1
TENON_API void tenon_autocast_clear_cache(void);

/// Converts all eligible tensors in a value, including those in lists, tuples and dicts, to a
/// dtype. All other values are copied. It is meant for code that casts its arguments itself. The
/// conversion is recorded like other calls, and runs with Autocast excluded.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a device type that has no autocast, TENON_ERROR_TYPE
///            for a dtype that is not floating, what the conversion raised.
/// Ownership: `value` is borrowed; `out_value` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_autocast_cast(int32_t device_type, tenon_dtype dtype,
                                           const tenon_value* value, tenon_value* out_value);

/// Returns the widest dtype among `initial` and the dtypes of the eligible tensors in some values
/// and lists: float32 if one of them is float32, otherwise the lower precision of the device type.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a device type that has no autocast, TENON_ERROR_TYPE
///            if `initial` or an eligible tensor's dtype is neither float32 nor the lower
///            precision.
/// Threads:   any thread; the calling thread's lower precision.
/// Since:     0.1
TENON_API tenon_status tenon_autocast_promote(int32_t device_type, tenon_dtype initial,
                                              const tenon_value* values, int64_t count,
                                              tenon_dtype* out_dtype);

/* Kinds of cast rules. Arguments that are written to are never converted. */
#define TENON_CAST_LOWER 0u /* converts eligible arguments to the region's dtype */
#define TENON_CAST_FP32 1u  /* converts eligible arguments to float32 */
/* Passes `dtype=float32` if the first argument is eligible and no dtype is given. */
#define TENON_CAST_FP32_DTYPE 2u
/* Calls the overload that also has a `dtype` argument: float32, or the dtype of the first argument
 * if that argument is not eligible. */
#define TENON_CAST_FP32_OVERLOAD 3u
#define TENON_CAST_PROMOTE 4u /* converts eligible arguments to the widest of their dtypes */
#define TENON_CAST_BANNED 5u  /* the call fails with an error that has advice */
#define TENON_CAST_TO 6u      /* converts eligible arguments to the rule's dtype */

/* A cast rule to register. Texts are copied. */
typedef struct tenon_cast_rule {
  uint32_t struct_size; /* sizeof(tenon_cast_rule) */
  uint32_t kind;        /* TENON_CAST_* */
  int32_t device_type;  /* -1: all device types without a rule of their own */
  tenon_dtype dtype;    /* dtype of TENON_CAST_TO; otherwise TENON_DTYPE_NONE */
  const char* advice;   /* TENON_CAST_BANNED: what to do instead, "use ..."; otherwise NULL */
  uint32_t language;    /* TENON_LANGUAGE_*, or a registered number */
  uint32_t policy;      /* TENON_REPLACE_* */
  const char* file;     /* NULL or the place of registration */
  int32_t line;
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_cast_rule;

/// Registers the cast rule of an operator: a kernel on Autocast, or on the Autocast key of one
/// device type, which converts arguments and calls the operator again with Autocast excluded.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad description or name, TENON_ERROR_TYPE for a
///            dtype that is not floating, TENON_ERROR_ALREADY_EXISTS by policy, TENON_ERROR_STATE
///            for a closed library, TENON_ERROR_ABI for a bad struct_size,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `out_registration` (may be NULL) is owned by the caller.
/// Threads:   any thread; *blocks*, runs listeners.
/// Since:     0.1
TENON_API tenon_status tenon_library_register_autocast(tenon_library* library, const char* name,
                                                       const tenon_cast_rule* rule,
                                                       tenon_registration** out_registration);

TENON_END_DECLS

#endif /* TENON_AUTOCAST_H */
