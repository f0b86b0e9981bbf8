// SPDX-License-Identifier: Apache-2.0
// The bodies of a provider's functions: what they throw becomes a status.
#pragma once

#include "tenon/tenon.hpp"

namespace tenon::kernels::cuda {

// Runs a body that may throw and leaves its error in the thread's slot.
template <class Body>
tenon_status guarded(Body&& body) {
  tenon_error* error = nullptr;
  const tenon_status status = tenon::detail::guarded(&error, body);
  return status == TENON_OK ? TENON_OK : tenon_error_set(error);
}

}  // namespace tenon::kernels::cuda
