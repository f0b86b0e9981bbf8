// SPDX-License-Identifier: Apache-2.0
// The layer of a vmap on the transform stack, and its tensors. Each wraps a tensor below, and hides
// the mapped dim of that tensor.
#pragma once

#include "dispatch/transform.h"

namespace tenon::transform {

/// The size and the randomness of a vmap.
struct VmapInfo {
  int64_t size;
  uint32_t randomness;  // TENON_RANDOMNESS_*
};

/// Throws TENON_ERROR_INVALID_ARGUMENT for a negative size and an unknown randomness.
dispatch::LayerPtr enter_vmap_layer(int64_t size, uint32_t randomness);
/// Returns NULL if the layer is not a vmap.
const VmapInfo* vmap_info(const dispatch::Layer& layer) noexcept;

/// Returns a tensor of the layer that wraps `below` with dim `dim` mapped; a view of `view_of`
/// unless that is NULL. The dim must exist and have the layer's size.
tensor::TensorPtr new_batched(dispatch::Layer& layer, tensor::Tensor& below, int64_t dim,
                              const tensor::Tensor* view_of = nullptr);
/// Makes a tensor of a vmap layer wrap another tensor, with dim `dim` mapped.
void replace_batched(tensor::Tensor& batched, tensor::Tensor& below, int64_t dim);
/// Returns the mapped dim of a vmap tensor, as an index into the dims of the tensor below.
int64_t batch_dim(const dispatch::LevelTensor& level) noexcept;

}  // namespace tenon::transform
