// SPDX-License-Identifier: Apache-2.0
// The device provider: memory, copies, streams and events of CUDA devices for the core.
#pragma once

#include "kernels/cuda/loops/launch.h"
#include "tenon/tenon.hpp"

namespace tenon::kernels::cuda {

// Registers the provider of device type CUDA. It also does so without a driver or device: the
// device count is then 0, and allocation fails with a clear error.
void register_provider();

// Returns the calling thread's current stream on a device.
Stream current_stream(const Device& device);

// Returns the device with an index of -1 replaced by the current one.
Device settled(const Device& device);

}  // namespace tenon::kernels::cuda
