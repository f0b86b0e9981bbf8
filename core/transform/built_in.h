// SPDX-License-Identifier: Apache-2.0
// The fallback that vmap has at its key from the start.
#pragma once

#include <span>

#include "dispatch/built_in.h"

namespace tenon::transform {

std::span<const dispatch::BuiltIn> built_ins() noexcept;

}  // namespace tenon::transform
