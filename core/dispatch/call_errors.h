// SPDX-License-Identifier: Apache-2.0
// Errors of calls: why a call could not start, found no kernel, or what its kernel left behind.
// Making one never fails: where memory is short, the result is the out-of-memory error.
#pragma once

#include "base/error.h"
#include "base/reclaim.h"
#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

/// Narrows a number of values to the type in which schemas count them. One that no stack can have
/// becomes UINT32_MAX, which fits no operator.
constexpr uint32_t narrow_count(int64_t count) noexcept {
  return count < 0 || count > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(count);
}

/// A call that could not be entered: nested too deep, or no memory for the thread's record.
base::ErrorPtr enter_error(const tenon_op& op, const base::Entered& entered) noexcept;

/// No kernel serves `keys`: names the key, the keys that have kernels, and what may help. `cause`
/// may be empty. Returns an empty pointer if a kernel for them was registered in the meantime; the
/// caller then looks again.
base::ErrorPtr missing_kernel_error(const tenon_op& op, tenon_keyset keys,
                                    base::ErrorPtr cause) noexcept;

/// Like missing_kernel_error(), but for a call of one key's slot, whatever the arguments carry.
base::ErrorPtr missing_slot_error(const tenon_op& op, tenon_key key) noexcept;

/// A kernel that runs at `place` failed without an error of its own on the stack or frame: the
/// error slot's when its code is `status`, else a new one that names the operator, caused by what
/// the kernel raised under another code.
base::ErrorPtr adopt_slot_error(const tenon_op& op, const base::RunningPlace* place,
                                tenon_status status) noexcept;

/// Names the failing kernel in the error's frames where its language has no frames of its own: C
/// and C++. Others add theirs, with the lines that ran.
void add_kernel_frame(base::ErrorObject* error, const tenon_op& op, const Kernel& kernel) noexcept;

/// Why a stack does not fit the operator.
base::ErrorPtr stack_error(const tenon_op& op, const Snapshot& snapshot,
                           const tenon_stack& stack) noexcept;
/// Why the arguments do not fit; never empty.
base::ErrorPtr arguments_error(const tenon_op& op, const schema::Schema* schema,
                               const tenon_value* args, uint32_t nargs) noexcept;

/// What differs between a stack's results and the operator's schema as it is now, empty when
/// nothing.
base::ErrorPtr results_error(const tenon_op& op, const tenon_value* args, uint32_t nargs,
                             tenon_value* rets, uint32_t nrets) noexcept;

/// A typed kernel gave NULL for a result that must be a tensor.
base::ErrorPtr missing_result_error(const tenon_op& op, int64_t index) noexcept;

/// The same as results_error() for results of overrides, which become carriers where the schema
/// says Tensor.
base::ErrorPtr carried_results_error(const tenon_op& op, tenon_stack* stack) noexcept;

/// An argument overrides operators, but the call may not go to Override.
base::ErrorPtr override_shut_error(const tenon_op& op) noexcept;

/// A key that no slot has.
base::ErrorPtr key_error(const tenon_op& op, tenon_key key) noexcept;

/// A device type that no backend has.
base::ErrorPtr device_error(const tenon_op& op, const tenon_device& device) noexcept;

}  // namespace tenon::dispatch
