// SPDX-License-Identifier: Apache-2.0
// The layer of a vmap on the transform stack, and its tensors: one dim of what they stand for is
// mapped, and hidden from whoever uses them.
#pragma once

#include "dispatch/transform.h"

namespace tenon::transform {

/// What a vmap maps over.
struct VmapInfo {
  int64_t size;
  uint32_t randomness;  // TENON_RANDOMNESS_*
};

/// Throws TENON_ERROR_INVALID_ARGUMENT for a negative size and an unknown randomness.
dispatch::LayerPtr enter_vmap_layer(int64_t size, uint32_t randomness);
/// NULL where the layer is no vmap.
const VmapInfo* vmap_info(const dispatch::Layer& layer) noexcept;

/// A tensor of the layer, whose dim `dim` below is mapped; a view of `view_of` unless that is NULL.
/// The dim is there and as large as the layer says.
tensor::TensorPtr new_batched(dispatch::Layer& layer, tensor::Tensor& below, int64_t dim,
                              const tensor::Tensor* view_of = nullptr);
/// Makes a tensor of a vmap layer stand for another one, whose dim `dim` is mapped.
void replace_batched(tensor::Tensor& batched, tensor::Tensor& below, int64_t dim);
/// The mapped dim of a tensor of a vmap layer, as the tensor below has it.
int64_t batch_dim(const dispatch::LevelTensor& level) noexcept;

}  // namespace tenon::transform
