// SPDX-License-Identifier: Apache-2.0
// The built-in fallback at Symbolic: replaces symbols by numbers for operators whose kernels do not
// accept symbols, and records guards.
#pragma once

#include <span>

#include "dispatch/built_in.h"

namespace tenon::symbol {

std::span<const dispatch::BuiltIn> built_ins() noexcept;

}  // namespace tenon::symbol
