// SPDX-License-Identifier: Apache-2.0
// The generators of CUDA devices: a seed, and how many numbers each sequence of Philox gave.
#pragma once

#include <optional>

#include "kernels/cuda/random/philox.h"
#include "tenon/tenon.hpp"

namespace tenon::kernels::cuda {

// Adds the generators to a provider.
void provide_generators(tenon_device_provider& provider);

// Takes from a generator, or the device's own, what an operator draws for `count` elements, `each`
// of which a thread makes of four numbers; as many threads draw as in PyTorch, whose numbers they
// get. Throws for a generator of another device.
PhiloxPlace draw_place(const char* op, const std::optional<Generator>& generator,
                       const Device& device, int64_t count, int64_t each);

}  // namespace tenon::kernels::cuda
