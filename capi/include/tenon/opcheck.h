/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of operators: schema, gradients and fake kernel beside what the kernel does. */
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

/* What is checked. Append-only. */
/* The schema says which arguments are written and which results are or share memory of which. */
#define TENON_OPCHECK_SCHEMA 0u
/* Results of an operator without a kernel at an Autograd key ask for no gradients. */
#define TENON_OPCHECK_AUTOGRAD_REGISTRATION 1u
/* Results on fake tensors have number, sizes, strides, dtype, device and aliasing of real ones. */
#define TENON_OPCHECK_FAKE 2u
/* The same, where sizes are symbolic too, and of gradients; what is recorded below autograd gives
 * again, when it is run, what the call gave: results, gradients and what was written. */
#define TENON_OPCHECK_TRACE 3u

/// Checks an operator by calling it with copies of some arguments, all of them in schema order.
/// `out_report` is NULL where nothing is wrong; else a text on the first thing that is. Calls with
/// a tensor that is fake or on Meta pass unchecked.
///
/// `rtol` and `atol` are how far TENON_OPCHECK_TRACE lets elements be off; negative ones mean those
/// usual for the dtype.
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for another check and an operator that is not defined,
///            TENON_ERROR_TYPE for arguments that do not fit the schema; what the operator, its
///            fake kernel or its gradient formula raised.
/// Ownership: arguments are borrowed; new reference in `out_report`.
/// Threads:   any thread; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_opcheck(const tenon_op* op, uint32_t check, const tenon_value* args,
                                     int64_t nargs, double rtol, double atol,
                                     tenon_buffer** out_report);

TENON_END_DECLS

#endif /* TENON_OPCHECK_H */
