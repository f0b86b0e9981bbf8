// SPDX-License-Identifier: Apache-2.0
// Fake kernels: what operators give, all but the elements. They serve Meta and fakes.
#pragma once

#include <string_view>

#include "dispatch/built_in.h"
#include "dispatch/library.h"

namespace tenon::fake {

/// Takes over the kernel, also when it throws: as tenon_library_register_fake.
dispatch::RegistrationPtr register_kernel(dispatch::Library* library, std::string_view name,
                                          dispatch::KernelPtr kernel);

/// What explain says of them.
dispatch::ExplainedKernel explained_kernel() noexcept;

}  // namespace tenon::fake
