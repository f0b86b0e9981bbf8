// SPDX-License-Identifier: Apache-2.0
// Exception guard for the library's own kernels, which must not throw.
#pragma once

#include <exception>

#include "base/error.h"
#include "tenon/value.h"

namespace tenon::dispatch {

/// Runs a kernel's body and stores what it throws in the stack's error. A forced unwind
/// (pthread_exit, cancellation) passes through.
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
