// SPDX-License-Identifier: Apache-2.0
// Errors of calls that could not start, found no kernel, or whose kernel failed or left wrong
// results. Making an error never fails: if memory is short, the result is the out-of-memory error.
#pragma once

#include "base/error.h"
#include "base/reclaim.h"
#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

/// Converts a number of values to uint32_t. A number out of its range becomes UINT32_MAX, which
/// matches no operator.
constexpr uint32_t narrow_count(int64_t count) noexcept {
  return count < 0 || count > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(count);
}

/// Returns the error of a call that could not be entered, because it nests too deep or because no
/// memory was left for the thread's record.
base::ErrorPtr enter_error(const tenon_op& op, const base::EnteredCall& entered) noexcept;

/// Returns the error of a call whose keys no kernel serves. It names the key, the keys that have
/// kernels, and a possible remedy. `cause` may be empty. Returns an empty pointer if such a kernel
/// was registered in the meantime; the caller then repeats the search.
base::ErrorPtr missing_kernel_error(const tenon_op& op, tenon_keyset keys,
                                    base::ErrorPtr cause) noexcept;

/// Like missing_kernel_error(), but for a call of one key's slot, whatever the arguments carry.
base::ErrorPtr missing_slot_error(const tenon_op& op, tenon_key key) noexcept;

/// Returns the error of a kernel that failed at `place` without storing an error in its stack or
/// frame: the error slot's if its code is `status`, otherwise a new error that names the operator.
/// An error that the kernel raised under another code becomes the new one's cause.
base::ErrorPtr adopt_slot_error(const tenon_op& op, const base::RunningPlace* place,
                                tenon_status status) noexcept;

/// Adds the failing kernel to the error's frames if its language has no frames (C and C++). Other
/// languages add theirs, with the lines that ran.
void add_kernel_frame(base::ErrorObject* error, const tenon_op& op, const Kernel& kernel) noexcept;

/// Returns why a stack does not fit the operator.
base::ErrorPtr stack_error(const tenon_op& op, const Snapshot& snapshot,
                           const tenon_stack& stack) noexcept;
/// Returns why the arguments do not fit; never empty.
base::ErrorPtr arguments_error(const tenon_op& op, const schema::Schema* schema,
                               const tenon_value* args, uint32_t nargs) noexcept;

/// Returns what differs between a stack's results and the operator's current schema, empty if
/// nothing does.
base::ErrorPtr results_error(const tenon_op& op, const tenon_value* args, uint32_t nargs,
                             tenon_value* rets, uint32_t nrets) noexcept;

/// Returns the error of a typed kernel that returned NULL for a result that must be a tensor.
base::ErrorPtr missing_result_error(const tenon_op& op, int64_t index) noexcept;

/// Like results_error(), but for results of overrides, which become carriers where the schema says
/// Tensor.
base::ErrorPtr carried_results_error(const tenon_op& op, tenon_stack* stack) noexcept;

/// Returns the error of a call whose keys lack Override although an argument overrides operators.
base::ErrorPtr override_closed_error(const tenon_op& op) noexcept;

/// Returns the error for a key that is not a runtime key.
base::ErrorPtr key_error(const tenon_op& op, tenon_key key) noexcept;

/// Returns the error for a device type that no backend has.
base::ErrorPtr device_error(const tenon_op& op, const tenon_device& device) noexcept;

}  // namespace tenon::dispatch
