// SPDX-License-Identifier: Apache-2.0
// Rule: how an operator is cast in autocast regions; a kernel on Autocast.
#pragma once

#include <string_view>

#include "dispatch/built_in.h"
#include "dispatch/library.h"
#include "tenon/autocast.h"

namespace tenon::autocast {

/// See tenon_library_register_autocast. `description` must be a complete struct of this
/// version.
dispatch::RegistrationPtr register_rule(dispatch::Library* library, std::string_view name,
                                        const tenon_cast_rule& description);

/// Returns the explanation of rule kernels that introspection prints.
dispatch::ExplainedKernel explained_kernel() noexcept;

}  // namespace tenon::autocast
