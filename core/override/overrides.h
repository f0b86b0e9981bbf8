// SPDX-License-Identifier: Apache-2.0
// The built-in fallbacks at Override and Wrapper, which call the handlers of modes and arguments.
#pragma once

#include <span>

#include "dispatch/built_in.h"

namespace tenon::override {

std::span<const dispatch::BuiltIn> built_ins() noexcept;

}  // namespace tenon::override
