// SPDX-License-Identifier: Apache-2.0
// The fallback that autograd has at its key from the start.
#pragma once

#include <span>

#include "dispatch/built_in.h"

namespace tenon::autograd {

std::span<const dispatch::BuiltIn> built_ins() noexcept;

}  // namespace tenon::autograd
