// SPDX-License-Identifier: Apache-2.0
// The device provider: memory, copies, streams and events of CUDA devices for the core.
#pragma once

#include "kernels/cuda/loops/launch.h"
#include "tenon/tenon.hpp"

namespace tenon::kernels::cuda {

// Registers the provider of device type CUDA. Without driver or device it still registers: counting
// gives 0 and allocating fails with a clear error.
void register_provider();

// The calling thread's current stream on a device.
Stream current_stream(const Device& device);

// The device with its index settled: -1 becomes the current one.
Device settled(const Device& device);

}  // namespace tenon::kernels::cuda
