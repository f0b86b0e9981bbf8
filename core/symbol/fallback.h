// SPDX-License-Identifier: Apache-2.0
// What calls with symbolic arguments meet first: operators whose kernels take numbers only get
// numbers, by guards.
#pragma once

#include <span>

#include "dispatch/built_in.h"

namespace tenon::symbol {

std::span<const dispatch::BuiltIn> built_ins() noexcept;

}  // namespace tenon::symbol
