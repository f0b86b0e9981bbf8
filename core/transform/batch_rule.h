// SPDX-License-Identifier: Apache-2.0
// Batching rules: what serves an operator in a vmap, with tensors that show the mapped dim.
#pragma once

#include <string_view>

#include "dispatch/library.h"
#include "tenon/transforms.h"

namespace tenon::transform {

/// See tenon_library_register_vmap. Takes over the rule's ctx, also when it throws.
dispatch::RegistrationPtr register_rule(dispatch::Library* library, std::string_view name,
                                        const tenon_vmap_rule& rule);

}  // namespace tenon::transform
