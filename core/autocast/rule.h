// SPDX-License-Identifier: Apache-2.0
// Rule: how an operator is cast in regions, a kernel on Autocast.
#pragma once

#include <string_view>

#include "dispatch/built_in.h"
#include "dispatch/library.h"
#include "tenon/autocast.h"

namespace tenon::autocast {

/// See tenon_library_register_autocast. `description` is whole.
dispatch::RegistrationPtr register_rule(dispatch::Library* library, std::string_view name,
                                        const tenon_cast_rule& description);

/// What explain says of the kernels of rules.
dispatch::ExplainedKernel explained_kernel() noexcept;

}  // namespace tenon::autocast
