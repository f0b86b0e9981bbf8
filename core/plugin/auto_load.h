// SPDX-License-Identifier: Apache-2.0
// Loads the plugins that ship with the library on first need. Each is tried once.
#pragma once

#include "dispatch/built_in.h"

namespace tenon::plugin {

/// Returns the loader for the operators that ship, and for kernels of their missing keys.
dispatch::Loader loader() noexcept;

/// For tensor::set_provider_loader(). Throws the error of a failed load.
void load_provider(int32_t device_type, const char* device_name);

}  // namespace tenon::plugin
