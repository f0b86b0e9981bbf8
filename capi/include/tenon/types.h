/* SPDX-License-Identifier: Apache-2.0 */
/* Element types, layouts and memory formats: numbers, names and sizes. */
#ifndef TENON_TYPES_H
#define TENON_TYPES_H

#include "tenon/common.h"

// Usage:
//
//   tenon_dtype dtype = 0;
//   status = tenon_dtype_promote(TENON_DTYPE_F32, TENON_DTYPE_I64, &dtype);
//   if (!status) printf("%s\n", tenon_dtype_name(dtype)); /* float32 */

TENON_BEGIN_DECLS

/* Element types. The numbers are those of PyTorch's ScalarType, so integers in graphs and code
 * carry over. Gaps are dtypes that Tenon does not have. Append-only. */
typedef int32_t tenon_dtype;
#define TENON_DTYPE_U8 0
#define TENON_DTYPE_I8 1
#define TENON_DTYPE_I16 2
#define TENON_DTYPE_I32 3
#define TENON_DTYPE_I64 4
#define TENON_DTYPE_F16 5
#define TENON_DTYPE_F32 6
#define TENON_DTYPE_F64 7
#define TENON_DTYPE_C32 8 /* two float16 */
#define TENON_DTYPE_C64 9
#define TENON_DTYPE_C128 10
#define TENON_DTYPE_BOOL 11
#define TENON_DTYPE_BF16 15
#define TENON_DTYPE_F8_E5M2 23
#define TENON_DTYPE_F8_E4M3FN 24
#define TENON_DTYPE_U16 27
#define TENON_DTYPE_U32 28
#define TENON_DTYPE_U64 29
#define TENON_DTYPE_NONE (-1)

/* Layouts, numbered as in PyTorch. */
#define TENON_LAYOUT_STRIDED 0

/* Memory formats, numbered as in PyTorch. */
#define TENON_MEMORY_FORMAT_CONTIGUOUS 0
#define TENON_MEMORY_FORMAT_PRESERVE 1
#define TENON_MEMORY_FORMAT_CHANNELS_LAST 2
#define TENON_MEMORY_FORMAT_CHANNELS_LAST_3D 3

/// Returns the size of one element in bytes, or 0 if the dtype is unknown.
///
/// Errors:    none.
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_dtype_size(tenon_dtype dtype);

/// Returns the name, such as "float32" or "bfloat16", or "unknown" if the dtype is unknown.
///
/// Errors:    none.
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_dtype_name(tenon_dtype dtype);

/// Finds a dtype by name: "float32", or one of the usual aliases, such as "float", "half" and
/// "long".
///
/// Errors:    TENON_ERROR_NOT_FOUND naming the text, TENON_ERROR_INVALID_ARGUMENT for NULL.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_dtype_parse(const char* name, tenon_dtype* out_dtype);

/* Bits of tenon_dtype_traits. */
#define TENON_DTYPE_IS_FLOATING 1u
#define TENON_DTYPE_IS_COMPLEX 2u
#define TENON_DTYPE_IS_SIGNED 4u
#define TENON_DTYPE_IS_INTEGRAL 8u /* not bool */

/// Returns the traits of a dtype as TENON_DTYPE_IS_* bits; 0 for bool and unknown dtypes.
///
/// Errors:    none.
/// Threads:   any thread.
/// Since:     0.1
TENON_API uint32_t tenon_dtype_traits(tenon_dtype dtype);

/// Returns the dtype that `a` and `b` are both promoted to, as PyTorch's `promote_types` does.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED for float8 with another dtype, and for uint16 to uint64
///            with one that is not floating; TENON_ERROR_INVALID_ARGUMENT for an unknown one.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_dtype_promote(tenon_dtype a, tenon_dtype b, tenon_dtype* out_dtype);

/// Returns the default floating dtype, used by factories and for the division of integers: float32
/// unless it was set.
///
/// Threads:   any thread; the value is shared by the whole process.
/// Since:     0.1
TENON_API tenon_dtype tenon_dtype_default(void);

/// Sets the default floating dtype.
///
/// Errors:    TENON_ERROR_TYPE if the dtype is not a real floating one.
/// Threads:   any thread; the value is shared by the whole process.
/// Since:     0.1
TENON_API tenon_status tenon_dtype_set_default(tenon_dtype dtype);

TENON_END_DECLS

#endif /* TENON_TYPES_H */
