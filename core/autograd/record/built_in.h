// SPDX-License-Identifier: Apache-2.0
// The built-in fallback that autograd installs at its key.
#pragma once

#include <span>

#include "dispatch/built_in.h"

namespace tenon::autograd {

std::span<const dispatch::BuiltIn> built_ins() noexcept;

}  // namespace tenon::autograd
