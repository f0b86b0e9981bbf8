// SPDX-License-Identifier: Apache-2.0
// Batching rules: kernels that serve an operator in a vmap, with tensors that show the mapped dim.
#pragma once

#include <string_view>

#include "dispatch/library.h"
#include "tenon/transforms.h"

namespace tenon::transform {

/// See tenon_library_register_vmap. Takes ownership of the rule's ctx, even if it throws.
dispatch::RegistrationPtr register_rule(dispatch::Library* library, std::string_view name,
                                        const tenon_vmap_rule& rule);

}  // namespace tenon::transform
