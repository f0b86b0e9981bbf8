/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes: the numbers that fallible functions return. Append-only. */
#ifndef TENON_STATUS_H
#define TENON_STATUS_H

#include "tenon/common.h"

// Usage:
//
//   if (status == TENON_ERROR_NO_KERNEL) return TENON_DECLINED;
//   if (status) fprintf(stderr, "%s\n", tenon_status_name(status));

TENON_BEGIN_DECLS

#define TENON_OK 0
/* A value, shape or name that the function does not accept. Kind "ValueError". */
#define TENON_ERROR_INVALID_ARGUMENT 1
/* An argument of the wrong type, or the wrong number of arguments. Kind "TypeError". */
#define TENON_ERROR_TYPE 2
/* An operator, overload, key, device, plugin or attribute that is not there. Kind "LookupError". */
#define TENON_ERROR_NOT_FOUND 3
/* A name that is taken: second definition, fallback or namespace. Kind "ExistsError". */
#define TENON_ERROR_ALREADY_EXISTS 4
/* No kernel serves the computed key. Kind "NotImplementedError". */
#define TENON_ERROR_NO_KERNEL 5
/* The operation exists, but not for this dtype, device or layout. Kind "NotImplementedError". */
#define TENON_ERROR_NOT_SUPPORTED 6
/* An index or dimension out of range. Kind "IndexError". */
#define TENON_ERROR_INDEX 7
/* Text that does not parse; the message shows the position. Kind "SyntaxError". */
#define TENON_ERROR_PARSE 8
/* Memory could not be had. Kind "MemoryError". */
#define TENON_ERROR_OUT_OF_MEMORY 9
/* The object was closed, or the call is not legal in this state. Kind "StateError". */
#define TENON_ERROR_STATE 10
/* Something is in use on another thread; try again. Kind "BusyError". */
#define TENON_ERROR_BUSY 11
/* Dispatches nested too deep. Kind "RecursionError". */
#define TENON_ERROR_RECURSION 12
/* Plugin or caller and library were built for different ABIs. Kind "AbiError". */
#define TENON_ERROR_ABI 13
/* A file, loader or device driver failed. Kind "OSError". */
#define TENON_ERROR_SYSTEM 14
/* A kernel failed and gave no code of its own. Kind "RuntimeError". */
#define TENON_ERROR_RUNTIME 15
/* A result depends on data that is not there (Meta, fake). Kind "DataDependentError". */
#define TENON_ERROR_DATA_DEPENDENT 16
/* An exception of a language, carried as the payload. Kind: the exception's type name. */
#define TENON_ERROR_FOREIGN 17
/* A failure inside Tenon itself: please report it. Kind "InternalError". */
#define TENON_ERROR_INTERNAL 18

/* Not a failure: an override or wrapper handler says "not mine". Leaves the error slot alone. */
#define TENON_DECLINED 1000

/// Returns the symbolic name of a status, such as "TENON_ERROR_TYPE", or "TENON_ERROR_UNKNOWN".
///
/// Errors:    none.
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_status_name(tenon_status status);

/// Returns the default kind of a status, such as "TypeError".
///
/// Errors:    none.
/// Ownership: static text.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_status_kind(tenon_status status);

TENON_END_DECLS

#endif /* TENON_STATUS_H */
