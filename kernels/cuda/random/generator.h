// SPDX-License-Identifier: Apache-2.0
// Generators of CUDA devices: a seed, and the number of values drawn from each Philox sequence.
#pragma once

#include <optional>

#include "kernels/cuda/random/philox.h"
#include "tenon/tenon.hpp"

namespace tenon::kernels::cuda {

// Adds the generator functions to a provider.
void provide_generators(tenon_device_provider& provider);

// Draws from a generator, or from the device's default one, for an operator with `count` elements,
// of which a thread makes `each` from four numbers. The number of threads is that of PyTorch, so
// that elements get the same numbers. Throws for a generator of another device.
PhiloxOffset draw_place(const char* op, const std::optional<Generator>& generator,
                        const Device& device, int64_t count, int64_t each);

}  // namespace tenon::kernels::cuda
