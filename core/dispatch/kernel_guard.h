// SPDX-License-Identifier: Apache-2.0
// Ends the kernels that the library itself registers: nothing of ours is thrown out of a kernel.
#pragma once

#include <exception>

#include "base/error.h"
#include "tenon/value.h"

namespace tenon::dispatch {

/// Runs a kernel's body. What it throws ends in the stack's error, except a forced unwind
/// (pthread_exit, cancellation), which goes on.
template <class Body>
tenon_status guard_kernel(tenon_stack* stack, Body&& body) {
  base::ErrorPtr error;
  try {
    return body();
  } catch (const Error& thrown) {
    error = thrown.object();
  } catch (const std::exception&) {
    error = base::ErrorPtr::adopt(base::ErrorObject::out_of_memory());
  }
  const tenon_status status = error->code();
  base::ErrorPtr::adopt(stack->error);
  stack->error = error.detach();
  return status;
}

}  // namespace tenon::dispatch
