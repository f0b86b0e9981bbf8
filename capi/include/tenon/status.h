/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes, the return values of fallible functions. Append-only. */
#ifndef TENON_STATUS_H
#define TENON_STATUS_H

#include "tenon/common.h"

// Usage:
//
//   if (status == TENON_ERROR_NO_KERNEL) return TENON_DECLINED;
//   if (status) fprintf(stderr, "%s\n", tenon_status_name(status));

TENON_BEGIN_DECLS

#define TENON_OK 0
/* A value, shape or name is invalid. Kind "ValueError". */
#define TENON_ERROR_INVALID_ARGUMENT 1
/* An argument has the wrong type, or the number of arguments is wrong. Kind "TypeError". */
#define TENON_ERROR_TYPE 2
/* An operator, overload, key, device, plugin or attribute does not exist. Kind "LookupError". */
#define TENON_ERROR_NOT_FOUND 3
/* A definition, fallback or namespace with this name exists already. Kind "ExistsError". */
#define TENON_ERROR_ALREADY_EXISTS 4
/* No kernel serves the computed key. Kind "NotImplementedError". */
#define TENON_ERROR_NO_KERNEL 5
/* The operation exists, but not for this dtype, device or layout. Kind "NotImplementedError". */
#define TENON_ERROR_NOT_SUPPORTED 6
/* An index or dimension is out of range. Kind "IndexError". */
#define TENON_ERROR_INDEX 7
/* A text cannot be parsed; the message shows the position. Kind "SyntaxError". */
#define TENON_ERROR_PARSE 8
/* An allocation failed. Kind "MemoryError". */
#define TENON_ERROR_OUT_OF_MEMORY 9
/* The object was closed, or the call is not legal in this state. Kind "StateError". */
#define TENON_ERROR_STATE 10
/* Something is in use on another thread; try again later. Kind "BusyError". */
#define TENON_ERROR_BUSY 11
/* Dispatches are nested too deeply. Kind "RecursionError". */
#define TENON_ERROR_RECURSION 12
/* A plugin or caller was built for another ABI than the library. Kind "AbiError". */
#define TENON_ERROR_ABI 13
/* A file operation, the dynamic loader or a device driver failed. Kind "OSError". */
#define TENON_ERROR_SYSTEM 14
/* A kernel failed without a more specific code. Kind "RuntimeError". */
#define TENON_ERROR_RUNTIME 15
/* A result depends on elements, which Meta and fake tensors lack. Kind "DataDependentError". */
#define TENON_ERROR_DATA_DEPENDENT 16
/* An exception of another language, carried as the payload. Kind: the exception's type name. */
#define TENON_ERROR_FOREIGN 17
/* A bug in Tenon itself: please report it. Kind "InternalError". */
#define TENON_ERROR_INTERNAL 18

/* Not a failure: returned by an override or wrapper handler that does not handle the call. The
 * error slot is left unchanged. */
#define TENON_DECLINED 1000

/// Returns the symbolic name of a status, such as "TENON_ERROR_TYPE", or "TENON_ERROR_UNKNOWN" for
/// an unknown one.
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
