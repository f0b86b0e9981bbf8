/* SPDX-License-Identifier: Apache-2.0 */
/* Operator checks: compare an operator's schema, gradients and fake kernel with its kernel. */
#ifndef TENON_OPCHECK_H
#define TENON_OPCHECK_H

#include "tenon/buffer.h"
#include "tenon/common.h"
#include "tenon/value.h"

// Usage:
//
//   tenon_buffer* report = NULL;
//   status = tenon_opcheck(op, TENON_OPCHECK_SCHEMA, &arg, 1, 1e-3, 1e-3, &report);
//   if (!status && report != NULL) puts((const char*)tenon_buffer_data(report));
//   tenon_buffer_release(report);

TENON_BEGIN_DECLS

/* Checks that tenon_opcheck can make. Append-only. */
/* The schema states correctly which arguments are written to and which results alias which
 * arguments. */
#define TENON_OPCHECK_SCHEMA 0u
/* Results of an operator without a kernel at an Autograd key do not require grad. */
#define TENON_OPCHECK_AUTOGRAD_REGISTRATION 1u
/* Results on fake tensors match the real ones in number, sizes, strides, dtype, device and
 * aliasing. */
#define TENON_OPCHECK_FAKE 2u
/* TENON_OPCHECK_FAKE also with symbolic sizes and for gradients. In addition, the call is recorded
 * below autograd and replayed; results, gradients and written arguments must be the same. */
#define TENON_OPCHECK_TRACE 3u

/// Checks an operator by calling it with copies of `args`, which must be all its arguments in
/// schema order. `out_report` is NULL if the check passes, and otherwise describes the first
/// problem. Calls with a tensor that is fake or on Meta are not checked and pass.
///
/// `rtol` and `atol` are the tolerances of TENON_OPCHECK_TRACE; negative ones mean the defaults of
/// the dtype.
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown check and for an operator that is not
///            defined, TENON_ERROR_TYPE for arguments that do not fit the schema; what the
///            operator, its fake kernel or its gradient formula raised.
/// Ownership: arguments are borrowed; new reference in `out_report`.
/// Threads:   any thread; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_opcheck(const tenon_op* op, uint32_t check, const tenon_value* args,
                                     int64_t nargs, double rtol, double atol,
                                     tenon_buffer** out_report);

TENON_END_DECLS

#endif /* TENON_OPCHECK_H */
