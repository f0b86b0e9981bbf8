/* SPDX-License-Identifier: Apache-2.0 */
/* Autocast: regions in which operators choose the precision that they compute in. */
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

/* A region is of one device type: calls with tensors of that type go through Autocast, where the
 * operator's cast rule, or a kernel that somebody has written for the key, converts arguments and
 * calls the operator again. Operators without either fall through. A tensor is eligible for a cast
 * when it is of the region's device type and of a floating dtype other than float64; all others
 * stay as they are. Thread states carry regions to other threads. */

#define TENON_AUTOCAST_ENABLED 1u
#define TENON_AUTOCAST_CACHE 2u /* of all device types at once: casts of leaves are kept */

/* What autocast does to calls of a device type. */
typedef struct tenon_autocast_state {
  uint32_t struct_size; /* sizeof(tenon_autocast_state) */
  uint32_t flags;       /* TENON_AUTOCAST_* */
  tenon_dtype dtype;    /* the lower precision: a floating dtype */
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_autocast_state;

/* What a region restores. Plain memory of the caller, filled by tenon_autocast_enter and read by
 * tenon_autocast_leave alone. */
typedef struct tenon_autocast_guard {
  tenon_key_guard keys;
  int32_t device_type;
  tenon_dtype dtype;
  uint32_t enabled; /* device types */
  uint32_t flags;
  uint64_t reserved; /* zero */
} tenon_autocast_guard;

/// Enters a region of a device type. Without state it is enabled, with the dtype and the cache that
/// the thread has set, at first bfloat16 for CPU and float16 for all others, and the cache on. A
/// region that is not enabled ends an outer one of its device type for a while.
///
/// The cache keeps, until the outermost region is left, casts to the region's dtype of float32
/// leaves that ask for gradients; it does not keep the leaves. A leaf that was written since is
/// cast anew.
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

/// Leaves a region: autocast is again what it was when the region was entered. Leaving the
/// outermost one empties the cache.
///
/// Errors:    TENON_ERROR_STATE on another thread than the one that entered it, and for a guard
///            that is not the innermost of its thread; nothing changes then.
/// Threads:   owner thread; runs the deleters of cached tensors' memory.
/// Since:     0.1
TENON_API tenon_status tenon_autocast_leave(const tenon_autocast_guard* guard);

/// Sets what autocast does to the calling thread's calls, outside of regions too, until it is set
/// again or a guard around it is left.
///
/// Errors:    as tenon_autocast_enter.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_autocast_set(int32_t device_type, const tenon_autocast_state* state);

/// Tells what autocast does to the calling thread's calls. Not enabled while Autocast is excluded.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a device type that has no autocast, TENON_ERROR_ABI
///            for a bad struct_size of `out_state`, which is the caller's to set.
/// Threads:   any thread; the calling thread's.
/// Since:     0.1
TENON_API tenon_status tenon_autocast_get(int32_t device_type, tenon_autocast_state* out_state);

/// Drops the casts that the calling thread keeps.
///
/// Threads:   owner thread; runs the deleters of cached tensors' memory.
/// Since:     0.1
TENON_API void tenon_autocast_clear_cache(void);

/// Converts all eligible tensors of a value, in lists, tuples and dicts too, to a dtype, for what
/// casts its arguments itself. All else is copied as it is. Recorded as other calls are, outside of
/// Autocast.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a device type that has no autocast, TENON_ERROR_TYPE
///            for a dtype that is not floating, what the conversion raised.
/// Ownership: `value` is borrowed; `out_value` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_autocast_cast(int32_t device_type, tenon_dtype dtype,
                                           const tenon_value* value, tenon_value* out_value);

/// Gives the widest dtype among `initial`, a first guess, and those of the eligible tensors of some
/// values, in lists too: float32 where one of them is, else the lower precision of the device type.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a device type that has no autocast,
///            TENON_ERROR_TYPE where `initial` or an eligible tensor's dtype is neither float32
///            nor the lower precision.
/// Threads:   any thread; the calling thread's lower precision.
/// Since:     0.1
TENON_API tenon_status tenon_autocast_promote(int32_t device_type, tenon_dtype initial,
                                              const tenon_value* values, int64_t count,
                                              tenon_dtype* out_dtype);

/* Kinds of cast rules. Written arguments are never converted. */
#define TENON_CAST_LOWER 0u /* eligible arguments to the region's dtype */
#define TENON_CAST_FP32 1u  /* eligible arguments to float32 */
#define TENON_CAST_FP32_DTYPE \
  2u /* `dtype=float32` where the first argument is eligible, and \
                                      none is given */
#define TENON_CAST_FP32_OVERLOAD \
  3u                          /* the overload that takes a `dtype` besides: with float32, or \
                                       with the first argument's where that is not eligible */
#define TENON_CAST_PROMOTE 4u /* eligible arguments to the widest of their dtypes */
#define TENON_CAST_BANNED 5u  /* the call fails, and says what to do instead */
#define TENON_CAST_TO 6u      /* eligible arguments to a dtype of the rule's own */

/* A cast rule to register. Texts are copied. */
typedef struct tenon_cast_rule {
  uint32_t struct_size; /* sizeof(tenon_cast_rule) */
  uint32_t kind;        /* TENON_CAST_* */
  int32_t device_type;  /* -1: of every device type, where no rule is of that one */
  tenon_dtype dtype;    /* of TENON_CAST_TO; else TENON_DTYPE_NONE */
  const char* advice;   /* of TENON_CAST_BANNED: what to do instead, "use ..."; else NULL */
  uint32_t language;    /* TENON_LANGUAGE_*, or a registered number */
  uint32_t policy;      /* TENON_REPLACE_* */
  const char* file;     /* NULL or where it is registered */
  int32_t line;
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_cast_rule;

/// Registers how an operator is cast in regions: a kernel on Autocast, or on that of one device
/// type, which converts arguments and calls the operator again with Autocast excluded.
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
