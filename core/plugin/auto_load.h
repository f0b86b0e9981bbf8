// SPDX-License-Identifier: Apache-2.0
// Loads the plugins that ship with the library when they are first missed: each is tried once.
#pragma once

#include "dispatch/built_in.h"

namespace tenon::plugin {

/// Of the operators that ship, and of kernels for their missing keys.
dispatch::Loader loader() noexcept;

/// For tensor::set_provider_loader(). Throws the reason of a failure.
void load_provider(int32_t device_type, const char* device_name);

}  // namespace tenon::plugin
