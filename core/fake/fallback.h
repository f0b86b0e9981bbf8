// SPDX-License-Identifier: Apache-2.0
// The built-in fallback at Fake: runs kernels for Meta on fake tensors.
#pragma once

#include <span>

#include "dispatch/built_in.h"
#include "tenon/value.h"

namespace tenon::fake {

std::span<const dispatch::BuiltIn> built_ins() noexcept;

/// Returns true if an argument is fake, or if the calling thread is in a fake mode.
bool runs_fake(const tenon_stack& stack) noexcept;

}  // namespace tenon::fake
