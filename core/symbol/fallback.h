// SPDX-License-Identifier: Apache-2.0
// The built-in fallback at Symbolic: calls operators whose kernels do not accept symbols with
// numbers instead, and records guards.
#pragma once

#include <span>

#include "dispatch/built_in.h"

namespace tenon::symbol {

std::span<const dispatch::BuiltIn> built_ins() noexcept;

}  // namespace tenon::symbol
