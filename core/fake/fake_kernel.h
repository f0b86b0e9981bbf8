// SPDX-License-Identifier: Apache-2.0
// Fake kernels: compute an operator's results without their elements. They serve Meta and fake
// tensors.
#pragma once

#include <string_view>

#include "dispatch/built_in.h"
#include "dispatch/library.h"

namespace tenon::fake {

/// Takes ownership of the kernel, even if it throws. Throws like tenon_library_register_fake.
dispatch::RegistrationPtr register_kernel(dispatch::Library* library, std::string_view name,
                                          dispatch::KernelPtr kernel);

/// Returns the explanation of fake kernels that introspection prints.
dispatch::ExplainedKernel explained_kernel() noexcept;

}  // namespace tenon::fake
