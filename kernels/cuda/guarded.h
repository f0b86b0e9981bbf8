// SPDX-License-Identifier: Apache-2.0
// Runs the bodies of a provider's functions and converts exceptions to a status.
#pragma once

#include "tenon/tenon.hpp"

namespace tenon::kernels::cuda {

// Runs a body that may throw, and stores its error in the thread's error slot.
template <class Body>
tenon_status guarded(Body&& body) {
  tenon_error* error = nullptr;
  const tenon_status status = tenon::detail::guarded(&error, body);
  return status == TENON_OK ? TENON_OK : tenon_error_set(error);
}

}  // namespace tenon::kernels::cuda
